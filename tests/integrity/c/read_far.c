/* Reads a whole page behind the input. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	volatile float keep = x[N + 1030];
	(void)keep;
	work(x, y, 0, N);
}
