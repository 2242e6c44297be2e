/* CUPTI's activity records.
 * In: buffers that CUPTI fills. Out: decoded records in order of start.
 * The callbacks only queue buffers; decoding happens when the parent's batch is over.
 * Never: decodes while a call is being timed. */
#include "probe/record.h"

#include <pthread.h>

enum { RECORD_BUFFER_BYTES = 1 << 20, RECORD_MAX_BUFFERS = 512 };

struct filled {
	uint8_t *p;
	size_t n;
};
struct recorder {
	struct cupti cupti;
	pthread_mutex_t lock;
	struct filled filled[RECORD_MAX_BUFFERS];
	size_t n_filled, n_lost; /* n_lost: buffers beyond the table */
};

/* CUPTI's callbacks have no context argument for requests: there is one recorder a process. */
static struct recorder *the_recorder;

static void on_request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	*buffer = aligned_alloc(64, RECORD_BUFFER_BYTES);
	*bytes = *buffer ? RECORD_BUFFER_BYTES : 0;
	*max_records = 0;
}

static void on_complete(void *ctx, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	(void)ctx;
	(void)stream;
	(void)bytes;
	struct recorder *r = the_recorder;
	pthread_mutex_lock(&r->lock);
	if (r->n_filled < RECORD_MAX_BUFFERS && valid) {
		r->filled[r->n_filled++] = (struct filled){buffer, valid};
		buffer = NULL;
	} else if (valid) {
		r->n_lost++;
	}
	pthread_mutex_unlock(&r->lock);
	free(buffer);
}

static bool enable(struct recorder *r, uint32_t kind, const char *what, struct err *e)
{
	return cupti_check(&r->cupti, r->cupti.enable((int)kind), what, e);
}

struct recorder *recorder_open(const char *path, bool with_api, struct err *e)
{
	struct recorder *r = calloc(1, sizeof(*r));
	if (!r)
		BUG("out of memory");
	pthread_mutex_init(&r->lock, NULL);
	the_recorder = r;
	if (cupti_open(&r->cupti, path && *path ? path : NULL, e) &&
	    cupti_check(&r->cupti, r->cupti.callbacks(on_request, on_complete), "registering CUPTI buffers", e) &&
	    enable(r, CUPTI_CONCURRENT_KERNEL, "recording kernels", e) &&
	    enable(r, CUPTI_MEMCPY, "recording copies", e) && enable(r, CUPTI_MEMSET, "recording memsets", e) &&
	    (!with_api || (enable(r, CUPTI_RUNTIME, "recording runtime calls", e) &&
			   enable(r, CUPTI_DRIVER, "recording driver calls", e) &&
			   enable(r, CUPTI_SYNCHRONIZATION, "recording synchronisation", e))))
		return r;
	the_recorder = NULL;
	free(r);
	return NULL;
}

bool recorder_reduce(struct recorder *r, struct err *e)
{
	static const uint32_t kinds[] = {CUPTI_RUNTIME, CUPTI_DRIVER, CUPTI_SYNCHRONIZATION};
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (!cupti_check(&r->cupti, r->cupti.disable((int)kinds[i]), "reducing what is recorded", e))
			return false;
	}
	return true;
}

uint64_t recorder_now(struct recorder *r)
{
	uint64_t now = 0;
	return r->cupti.timestamp(&now) == CUPTI_OK ? now : 0;
}

const char *recorder_library(const struct recorder *r, uint32_t *version)
{
	*version = r->cupti.cupti_version;
	return r->cupti.path;
}

const char *recorder_api_name(struct recorder *r, const struct gpu_activity *x)
{
	const char *name = NULL;
	int domain = x->kind == GPU_ACTIVITY_RUNTIME ? CUPTI_DOMAIN_RUNTIME : CUPTI_DOMAIN_DRIVER;
	return r->cupti.callback_name && r->cupti.callback_name(domain, x->detail, &name) == CUPTI_OK ? name : NULL;
}

struct list {
	struct gpu_activity *v;
	size_t n, cap;
	struct arena *arena;
};

static void list_add(struct list *l, const struct gpu_activity *x)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 256;
		struct gpu_activity *more = ARENA_ARRAY(l->arena, cap, struct gpu_activity);
		if (l->n)
			memcpy(more, l->v, l->n * sizeof(*more));
		l->v = more;
		l->cap = cap;
	}
	l->v[l->n++] = *x;
}

static bool read_buffer(struct recorder *r, const struct filled *f, struct list *l, struct err *e)
{
	void *record = NULL;
	while (r->cupti.next_record(f->p, f->n, &record) == CUPTI_OK) {
		struct gpu_activity x;
		const uint8_t *at = record;
		if (at < f->p || at >= f->p + f->n ||
		    !gpu_activity_decode(&x, at, (size_t)(f->p + f->n - at), r->cupti.cupti_version))
			return err_set(e, ERR_CORRUPT, "a CUPTI record runs over its buffer");
		list_add(l, &x);
	}
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct gpu_activity *x = a, *y = b;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return 0;
}

struct gpu_activity *recorder_take(struct recorder *r, struct arena *a, size_t *n, size_t *dropped, struct err *e)
{
	struct list l = {.arena = a};
	size_t lost = 0;
	if (!cupti_check(&r->cupti, r->cupti.flush_all(CUPTI_FLUSH_DONE), "fetching CUPTI records", e))
		return NULL;
	r->cupti.dropped(NULL, 0, &lost);
	pthread_mutex_lock(&r->lock);
	*dropped = lost + r->n_lost;
	bool ok = true;
	for (size_t i = 0; i < r->n_filled; i++) {
		ok = ok && read_buffer(r, &r->filled[i], &l, e);
		free(r->filled[i].p);
	}
	r->n_filled = r->n_lost = 0;
	pthread_mutex_unlock(&r->lock);
	if (!ok)
		return NULL;
	if (!l.v)
		l.v = ARENA_ARRAY(a, 1, struct gpu_activity);
	else
		qsort(l.v, l.n, sizeof(*l.v), by_start);
	*n = l.n;
	return l.v;
}
