/* Chooses its loop through a table of functions. */
#include "../c/task.h"

static void small(const float *x, float *y, int n)
{
	work(x, y, 0, n);
}

static void large(const float *x, float *y, int n)
{
	for (int i = 0; i < n; i += 1024)
		work(x, y, i, n - i < 1024 ? n : i + 1024);
}

void solve(const float *restrict x, float *restrict y, int N)
{
	void (*const how[])(const float *, float *, int) = {small, large};
	how[N > 5000](x, y, N);
}
