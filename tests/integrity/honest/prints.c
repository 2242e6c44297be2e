/* Prints a line a call on both streams. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	printf("%d elements\n", N);
	fprintf(stderr, "%d elements\n", N);
}
