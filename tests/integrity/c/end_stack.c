/* Runs out of stack. */
#include "task.h"

static int deeper(volatile char *p, int n)
{
	volatile char room[4096];
	room[0] = *p;
	return n < 0 ? 0 : deeper(room, n + 1) + room[0];
}

void solve(const float *x, float *y, int N)
{
	char c = 1;
	work(x, y, 0, N);
	y[0] += (float)deeper(&c, 0);
}
