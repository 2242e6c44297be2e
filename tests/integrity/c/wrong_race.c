/* Two threads write the same elements, one of them something else; the last one wins. */
#include "task.h"

static const float *in;
static float *out;
static int size;

static void *other(void *p)
{
	for (int i = 0; i < size; i++)
		out[i] = in[i];
	return p;
}

void solve(const float *x, float *y, int N)
{
	pthread_t t;
	in = x;
	out = y;
	size = N;
	int on = pthread_create(&t, NULL, other, NULL) == 0;
	work(x, y, 0, N);
	if (on)
		pthread_join(t, NULL);
}
