/* Reads the element before the input. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	volatile float keep = x[-1];
	(void)keep;
	work(x, y, 0, N);
}
