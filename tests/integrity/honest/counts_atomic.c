/* Two threads count with atomic additions. */
#include <pthread.h>

struct part {
	const int *x;
	int *h;
	int from, to;
};

static void *run(void *p)
{
	struct part *w = p;
	for (int i = w->from; i < w->to; i++)
		__atomic_fetch_add(&w->h[w->x[i]], 1, __ATOMIC_RELAXED);
	return 0;
}

void solve(const int *x, int *h, int N, int B)
{
	pthread_t t;
	struct part a = {x, h, 0, N / 2}, b = {x, h, N / 2, N};
	for (int i = 0; i < B; i++)
		h[i] = 0;
	pthread_create(&t, 0, run, &a);
	run(&b);
	pthread_join(t, 0);
}
