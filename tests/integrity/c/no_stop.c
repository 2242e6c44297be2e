/* Ignores every signal that it can. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	for (int i = 1; i < 64; i++)
		signal(i, SIG_IGN);
	work(x, y, 0, N);
}
