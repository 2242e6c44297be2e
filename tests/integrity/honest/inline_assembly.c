/* A few instructions by hand. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	for (int i = 0; i < N; i++) {
		float v = x[i];
#ifdef __x86_64__
		__asm__("movss %1, %%xmm3\n\tmovss %%xmm3, %0" : "=m"(y[i]) : "m"(v) : "xmm3");
#else
		y[i] = v;
#endif
		work(y + i, y + i, 0, 1);
	}
}
