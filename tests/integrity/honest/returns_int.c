/* An entry that returns 0. */
#include "../c/task.h"

int solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	return 0;
}
