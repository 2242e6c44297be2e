/* for (;;) pause() */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	for (;;)
		pause();
}
