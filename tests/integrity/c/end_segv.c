/* *(volatile int *)16 = 1 */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	*(volatile int *)16 = 1;
}
