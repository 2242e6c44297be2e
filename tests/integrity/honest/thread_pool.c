/* Two threads that stay from call to call and sleep between. */
#include <semaphore.h>

#include "../c/task.h"

static sem_t start[2], done[2];
static const float *in;
static float *out;
static int size;

static void *serve(void *p)
{
	long i = (long)p;
	for (;;) {
		sem_wait(&start[i]);
		work(in, out, size / 2 * (int)i, i ? size : size / 2);
		sem_post(&done[i]);
	}
	return NULL;
}

void solve(const float *x, float *y, int N)
{
	static pthread_t t[2];
	if (!t[0])
		for (long i = 0; i < 2; i++) {
			sem_init(&start[i], 0, 0);
			sem_init(&done[i], 0, 0);
			pthread_create(&t[i], NULL, serve, (void *)i);
		}
	in = x;
	out = y;
	size = N;
	for (int i = 0; i < 2; i++)
		sem_post(&start[i]);
	for (int i = 0; i < 2; i++)
		sem_wait(&done[i]);
}
