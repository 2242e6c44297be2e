/* Reads the element behind the input; the result does not show it. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	volatile float keep = x[N];
	(void)keep;
	work(x, y, 0, N);
}
