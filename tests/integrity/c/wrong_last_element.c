/* Right but for the last element. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	y[N - 1] += 0.01f;
}
