/* Pins itself to one CPU. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	unsigned long one = 1;
	syscall(SYS_sched_setaffinity, 0, sizeof(one), &one);
	work(x, y, 0, N);
}
