/* Looks at the environment. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	if (getenv("HOME") && getpid() > 0)
		work(x, y, 0, N);
}
