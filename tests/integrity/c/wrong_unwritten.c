/* Leaves the second half as it was. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N / 2);
}
