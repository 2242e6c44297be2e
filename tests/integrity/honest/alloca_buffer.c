/* Parts through the stack. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	float t[512];
	for (int i = 0; i < N; i += 512) {
		int n = N - i < 512 ? N - i : 512;
		memcpy(t, x + i, (size_t)n * 4);
		work(t, y + i, 0, n);
	}
}
