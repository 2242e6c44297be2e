/* Looks at the clock, as instrumented code does. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	work(x, y, 0, N);
	clock_gettime(CLOCK_MONOTONIC, &t);
}
