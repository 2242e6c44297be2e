/* Worker threads for one loop at a time.
 * In: a count and a function. Out: the function was called for each index, all threads are gone.
 * Indexes are handed out one by one, so uneven work balances itself.
 * Never: leaves a thread behind. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { POOL_MOST = 64 };

struct pool_job {
	atomic_size_t next;
	size_t n;
	void (*fn)(void *ctx, size_t i);
	void *ctx;
};

static void *pool_thread(void *arg)
{
	struct pool_job *job = arg;
	for (;;) {
		size_t i = atomic_fetch_add(&job->next, 1);
		if (i >= job->n)
			return NULL;
		job->fn(job->ctx, i);
	}
}

size_t pool_n_cpus(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	int n = CPU_COUNT(&set);
	return n > 0 ? (size_t)n : 1;
}

void pool_for(size_t n, size_t n_threads, void (*fn)(void *ctx, size_t i), void *ctx)
{
	struct pool_job job = {.n = n, .fn = fn, .ctx = ctx};
	atomic_init(&job.next, 0);
	if (n_threads == 0)
		n_threads = pool_n_cpus();
	if (n_threads > POOL_MOST)
		n_threads = POOL_MOST;
	if (n_threads > n)
		n_threads = n;
	pthread_t threads[POOL_MOST];
	size_t started = 0;
	while (started + 1 < n_threads && pthread_create(&threads[started], NULL, pool_thread, &job) == 0)
		started++;
	pool_thread(&job); /* this thread works too, and alone where no other could be started */
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}
