/* Halves, recursively. */
#include "../c/task.h"

static void part(const float *x, float *y, int from, int to)
{
	if (to - from < 100) {
		work(x, y, from, to);
		return;
	}
	part(x, y, from, (from + to) / 2);
	part(x, y, (from + to) / 2, to);
}

void solve(const float *x, float *y, int N)
{
	part(x, y, 0, N);
}
