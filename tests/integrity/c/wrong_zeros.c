/* Zeros. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	(void)x;
	memset(y, 0, (size_t)N * 4);
}
