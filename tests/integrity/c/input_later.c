/* Changes an input from its tenth call on. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	static int n;
	work(x, y, 0, N);
	if (++n > 10)
		((float *)x)[0] = 1;
}
