/* Starts threads that sleep. */
#include "task.h"

static void *wait_for_ever(void *p)
{
	pause();
	return p;
}

void solve(const float *x, float *y, int N)
{
	static int n;
	pthread_t t;
	work(x, y, 0, N);
	for (int i = 0; n < 200 && i < 20; i++)
		n += pthread_create(&t, NULL, wait_for_ever, NULL) == 0;
}
