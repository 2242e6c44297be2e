/* Writes one element before the output. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	y[-1] = 1;
}
