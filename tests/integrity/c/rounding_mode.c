/* Leaves another rounding mode behind. */
#include <fenv.h>

#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	fesetround(FE_UPWARD);
}
