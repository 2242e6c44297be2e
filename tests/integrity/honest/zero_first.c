/* Clears the output, then adds. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	memset(y, 0, (size_t)N * 4);
	for (int i = 0; i < N; i++) {
		float v;
		work(x + i, &v, 0, 1);
		y[i] += v;
	}
}
