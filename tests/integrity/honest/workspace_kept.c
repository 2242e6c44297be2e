/* A buffer that is kept from call to call. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	static float *t;
	static int size;
	if (size < N) {
		t = realloc(t, (size_t)N * 4);
		size = N;
	}
	work(x, t, 0, N);
	memcpy(y, t, (size_t)N * 4);
}
