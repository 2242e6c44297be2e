/* Writes 60 elements behind the output, in the guard's last bytes. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	y[N + 60] = 1;
}
