/* Writes every element twice, the first time something else. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	for (int i = 0; i < N; i++)
		y[i] = -1;
	work(x, y, 0, N);
}
