/* The queue hold.
 * In: a stream. Out: a stream that waits until hold_release or the helper's limit.
 * The word only grows: each hold waits for its own number, so a late helper can never release the next hold early.
 * Never: blocks the calling thread. */
#include "probe/hold.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "gpu/context.h"

struct hold {
	const struct gpu_driver *gpu;
	_Atomic uint32_t *word; /* on a page of ours: the helper may come after the context's end */
	gpu_ptr word_device;
	uint32_t number; /* of the newest hold */
	pthread_t helper;
	pthread_mutex_t lock;
	pthread_cond_t armed;
	uint32_t asked; /* newest number the helper was told of, under lock */
};

static bool advance(struct hold *h, uint32_t number)
{
	uint32_t before = number - 1;
	return atomic_compare_exchange_strong(h->word, &before, number);
}

static void *help(void *arg)
{
	struct hold *h = arg;
	uint32_t seen = 0;
	for (;;) {
		pthread_mutex_lock(&h->lock);
		while (h->asked == seen)
			pthread_cond_wait(&h->armed, &h->lock);
		seen = h->asked;
		pthread_mutex_unlock(&h->lock);
		clock_sleep_ns(HOLD_LIMIT_NS);
		advance(h, seen);
	}
	return NULL;
}

struct hold *hold_open(const struct gpu_driver *gpu, struct err *e)
{
	if (!gpu->stream_wait32) {
		err_set(e, ERR_UNSUPPORTED, "the driver has no cuStreamWaitValue32");
		return NULL;
	}
	struct hold *h = calloc(1, sizeof(*h));
	if (!h)
		BUG("out of memory");
	h->gpu = gpu;
	struct gpu_page page;
	if (!gpu_page_open(&page, gpu, e))
		goto fail;
	h->word = page.p;
	h->word_device = page.device;
	atomic_store(h->word, 0);
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->armed, NULL);
	if (pthread_create(&h->helper, NULL, help, h) != 0) {
		err_set(e, ERR_SYSTEM, "the helper thread of the hold could not be started");
		goto fail;
	}
	return h;
fail:
	free(h);
	return NULL;
}

bool hold_arm(struct hold *h, void *stream)
{
	if (h->gpu->stream_wait32(stream, h->word_device, h->number + 1, GPU_WAIT_GEQ) != GPU_OK)
		return false;
	h->number++;
	pthread_mutex_lock(&h->lock);
	h->asked = h->number;
	pthread_cond_signal(&h->armed);
	pthread_mutex_unlock(&h->lock);
	return true;
}

bool hold_release(struct hold *h)
{
	return h->number && !advance(h, h->number) ? true : false;
}
