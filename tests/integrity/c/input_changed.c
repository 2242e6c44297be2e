/* Changes an input. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	((float *)x)[N / 2] = 0;
}
