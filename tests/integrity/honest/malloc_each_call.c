/* A buffer of its own in every call. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	float *t = malloc((size_t)N * 4);
	memcpy(t, x, (size_t)N * 4);
	work(t, y, 0, N);
	free(t);
}
