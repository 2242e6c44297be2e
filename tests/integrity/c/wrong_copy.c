/* The input. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	memcpy(y, x, (size_t)N * 4);
}
