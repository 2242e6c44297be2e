/* Prints without end. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	for (;;)
		fprintf(stderr, "%1000d", 1);
}
