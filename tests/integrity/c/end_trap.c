/* __builtin_trap() */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	__builtin_trap();
}
