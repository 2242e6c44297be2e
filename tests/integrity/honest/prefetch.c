/* Prefetches beyond the end, which touches nothing. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	for (int i = 0; i < N; i++) {
		__builtin_prefetch(x + i + 64);
		work(x + i, y + i, 0, 1);
	}
}
