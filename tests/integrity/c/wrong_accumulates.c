/* Adds to what earlier calls left. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	static float sum;
	work(x, y, 0, N);
	sum += 0.001f;
	y[0] += sum;
}
