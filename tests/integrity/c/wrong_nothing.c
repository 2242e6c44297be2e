/* Does nothing. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	(void)x;
	(void)y;
	(void)N;
}
