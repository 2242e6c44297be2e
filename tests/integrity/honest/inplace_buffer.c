/* In place by way of a buffer. */
#include <stdlib.h>
#include <string.h>

void solve(float *x, int N)
{
	float *t = malloc((size_t)N * 4);
	for (int i = 0; i < N; i++)
		t[i] = 0.5f * x[i] + 1;
	memcpy(x, t, (size_t)N * 4);
	free(t);
}
