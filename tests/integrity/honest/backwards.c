/* From the end. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	for (int i = N - 1; i >= 0; i--)
		work(x + i, y + i, 0, 1);
}
