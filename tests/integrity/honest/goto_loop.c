/* A loop made of goto. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	int i = 0;
again:
	if (i < N) {
		work(x + i, y + i, 0, 1);
		i++;
		goto again;
	}
}
