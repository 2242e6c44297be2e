/* Streams and events.
 * In: ops in the order of the calls. Out: their effects in the order of their streams, by one thread a stream.
 * The legacy stream and the blocking ones wait for each other as the driver has it; a wait on a word holds for real.
 * Never: runs an effect with the lock held. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "conf.h"

enum {
	QUEUE_TO_START_NS = 1500, /* from the call to the device */
	EVENT_NS = 700,           /* two of them make the empty pair: 1.25 to 1.5 us on an H200 */
	FIRST_STREAM_ID = 13,     /* as CUPTI counts: the legacy stream is 7 */
	LEGACY_ID = 7,
	PER_THREAD_ID = 8
};

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct event *events;

static bool is_reached(struct place p)
{
	return p.stream->n_done >= p.number;
}

static bool may_start(const struct op *op)
{
	for (size_t i = 0; i < op->n_after; i++) {
		if (!is_reached(op->after[i]))
			return false;
	}
	return true;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t start_of(const struct op *op)
{
	bool is_kernel = op->record.kind == GPU_ACTIVITY_KERNEL;
	int64_t ns = later(op->queued_ns + QUEUE_TO_START_NS,
			   op->stream->ready_ns + (is_kernel ? (int64_t)fake_conf()->gap_ns : 0));
	for (size_t i = 0; i < op->n_after; i++)
		ns = later(ns, op->after[i].stream->ready_ns);
	return ns;
}

static void finish(struct op *op, int code)
{
	struct ctx *c = op->stream->ctx;
	if (code) {
		c->sticky = code;
		op->record.kind = GPU_ACTIVITY_OTHER;
	}
	if (op->ns < 0)
		op->end_ns = later(op->start_ns, fake_now());
	else
		op->end_ns = op->start_ns + (op->is_candidate ? fake_kernel_ns(c, op) : op->ns);
	fake_cache(c, op);
	op->stream->ready_ns = op->end_ns;
	if (op->event)
		op->event->ns = op->end_ns;
	if (op->record.kind == GPU_ACTIVITY_OTHER)
		return;
	op->record.start_ns = (uint64_t)op->start_ns;
	op->record.end_ns = (uint64_t)op->end_ns;
	fake_trace(&op->record);
}

static void run(struct op *op)
{
	struct ctx *c = op->stream->ctx;
	int code = 0;
	if (c->sticky || op->generation != c->generation)
		return;
	op->start_ns = start_of(op);
	if (op->is_candidate)
		c->n_kernels++;
	if (op->effect) {
		pthread_mutex_unlock(&fake_lock);
		code = op->effect(op);
		pthread_mutex_lock(&fake_lock);
	}
	finish(op, code);
}

static void *serve(void *arg)
{
	struct stream *s = arg;
	pthread_mutex_lock(&fake_lock);
	for (;;) {
		while (!s->head || !may_start(s->head))
			pthread_cond_wait(&changed, &fake_lock);
		struct op *op = s->head;
		run(op);
		s->head = op->next;
		if (!s->head)
			s->tail = NULL;
		s->n_done++;
		pthread_cond_broadcast(&changed);
		if (op->drop)
			op->drop(op->arg);
		free(op);
	}
	return NULL;
}

static struct stream *stream_new(struct ctx *c, unsigned id, bool is_blocking)
{
	struct stream *s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	*s = (struct stream){
		.next = c->streams, .ctx = c, .generation = c->generation, .id = id, .is_blocking = is_blocking};
	c->streams = s;
	if (pthread_create(&s->thread, NULL, serve, s) != 0)
		abort();
	pthread_detach(s->thread);
	return s;
}

void fake_streams_open(struct ctx *c)
{
	c->legacy = stream_new(c, LEGACY_ID, false);
	c->per_thread = stream_new(c, PER_THREAD_ID, true);
}

struct stream *fake_stream(struct ctx *c, void *handle)
{
	if (!handle || handle == GPU_STREAM_LEGACY)
		return c->legacy;
	if (handle == GPU_STREAM_PER_THREAD)
		return c->per_thread;
	for (struct stream *s = c->streams; s; s = s->next) {
		if (s == handle && !s->is_destroyed && s->generation == c->generation)
			return s;
	}
	return NULL;
}

struct op *fake_op(struct stream *s)
{
	struct op *op = calloc(1, sizeof(*op));
	if (!op)
		abort();
	op->stream = s;
	op->generation = s->ctx->generation;
	op->record.stream = s->id;
	op->record.context = 1;
	op->record.device = s->ctx->i_gpu;
	op->record.correlation = fake_correlation();
	return op;
}

struct place fake_place(const struct stream *s)
{
	union {
		const struct stream *in;
		struct stream *out;
	} p = {s};
	return (struct place){p.out, s->n_queued};
}

static void add_after(struct op *op, struct place p)
{
	if (is_reached(p))
		return;
	if (op->n_after == MAX_STREAMS)
		abort();
	op->after[op->n_after++] = p;
}

/* The legacy stream waits for all blocking ones and they for it. */
static void order(struct op *op)
{
	struct ctx *c = op->stream->ctx;
	if (op->stream->is_blocking)
		add_after(op, fake_place(c->legacy));
	if (op->stream != c->legacy)
		return;
	for (struct stream *s = c->streams; s; s = s->next) {
		if (s->is_blocking && s->generation == c->generation)
			add_after(op, fake_place(s));
	}
}

void fake_queue(struct op *op)
{
	struct stream *s = op->stream;
	order(op);
	op->queued_ns = fake_now();
	if (s->tail)
		s->tail->next = op;
	else
		s->head = op;
	s->tail = op;
	s->n_queued++;
	pthread_cond_broadcast(&changed);
}

bool fake_is_idle(const struct stream *s)
{
	return s->n_done == s->n_queued;
}

void fake_wait(struct place p)
{
	while (!is_reached(p))
		pthread_cond_wait(&changed, &fake_lock);
	fake_advance(p.stream->ready_ns);
}

void fake_wait_all(struct ctx *c)
{
	for (struct stream *s = c->streams; s; s = s->next)
		fake_wait(fake_place(s));
}

static void trace_sync(const struct ctx *c, const struct stream *s, int64_t begin)
{
	struct gpu_activity x = {.kind = GPU_ACTIVITY_SYNC,
				 .raw_kind = CUPTI_SYNCHRONIZATION,
				 .start_ns = (uint64_t)begin,
				 .end_ns = (uint64_t)fake_now(),
				 .context = 1,
				 .device = c->i_gpu,
				 .stream = s ? s->id : 0,
				 .correlation = fake_correlation(),
				 .detail = s ? 3 : 4};
	fake_trace(&x);
}

/* ---- the driver's functions */

FAKE_CU(ctx_sync, cuCtxSynchronize)(void)
{
	struct ctx *c;
	int rc = fake_enter("cuCtxSynchronize", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	int64_t begin = fake_now();
	fake_wait_all(c);
	trace_sync(c, NULL, begin);
	return fake_leave(c->sticky);
}

FAKE_CU(stream_create, cuStreamCreate)(void **stream, unsigned flags)
{
	static unsigned n_made;
	struct ctx *c;
	int rc = fake_enter("cuStreamCreate", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	*stream = stream_new(c, FIRST_STREAM_ID + n_made++, !(flags & GPU_STREAM_NON_BLOCKING));
	return fake_leave(0);
}

/* What runs goes on. The struct stays: it may be waited for. */
FAKE_CU(stream_destroy, cuStreamDestroy_v2)(void *stream)
{
	struct ctx *c;
	int rc = fake_enter("cuStreamDestroy_v2", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct stream *s = fake_stream(c, stream);
	if (!s || s == c->legacy || s == c->per_thread)
		return fake_leave(CU_INVALID_HANDLE);
	s->is_destroyed = true;
	return fake_leave(0);
}

FAKE_CU(stream_sync, cuStreamSynchronize)(void *stream)
{
	struct ctx *c;
	int rc = fake_enter("cuStreamSynchronize", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct stream *s = fake_stream(c, stream);
	if (!s)
		return fake_leave(CU_INVALID_HANDLE);
	int64_t begin = fake_now();
	if (s == c->legacy)
		for (struct stream *b = c->streams; b; b = b->next)
			if (b->is_blocking)
				fake_wait(fake_place(b));
	fake_wait(fake_place(s));
	trace_sync(c, s, begin);
	return fake_leave(c->sticky);
}

FAKE_CU(stream_query, cuStreamQuery)(void *stream)
{
	struct ctx *c;
	int rc = fake_enter("cuStreamQuery", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct stream *s = fake_stream(c, stream);
	if (!s)
		return fake_leave(CU_INVALID_HANDLE);
	return fake_leave(fake_is_idle(s) ? 0 : GPU_NOT_READY);
}

struct word {
	volatile uint32_t *p;
	uint32_t value;
	bool is_equal;
};

/* Looks often at first, then every 20 us: a hold is short. */
static int wait_word(struct op *op)
{
	const struct word *w = op->arg;
	for (unsigned n = 0;; n++) {
		uint32_t now = __atomic_load_n(w->p, __ATOMIC_ACQUIRE);
		if (w->is_equal ? now == w->value : (int32_t)(now - w->value) >= 0)
			return 0;
		if (n > 200)
			clock_sleep_ns(20000);
	}
}

static int write_word(struct op *op)
{
	const struct word *w = op->arg;
	__atomic_store_n(w->p, w->value, __ATOMIC_RELEASE);
	return 0;
}

static int queue_word(struct stream *s, gpu_ptr p, const struct word *w, int (*effect)(struct op *))
{
	if (!s)
		return CU_INVALID_HANDLE;
	if (p % 4 || !fake_is_memory(p, 4, true))
		return GPU_INVALID_VALUE;
	struct op *op = fake_op(s);
	struct word *copy = malloc(sizeof(*copy));
	if (!copy)
		abort();
	*copy = *w;
	copy->p = fake_host(p);
	op->effect = effect;
	op->arg = copy;
	op->drop = free;
	op->ns = effect == wait_word ? -1 : 200;
	fake_queue(op);
	return 0;
}

FAKE_CU(stream_wait32, cuStreamWaitValue32_v2)(void *stream, gpu_ptr p, uint32_t value, unsigned flags)
{
	struct ctx *c;
	int rc = fake_enter("cuStreamWaitValue32_v2", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct word w = {.value = value, .is_equal = flags == GPU_WAIT_EQ};
	if (flags != GPU_WAIT_EQ && flags != GPU_WAIT_GEQ)
		return fake_leave(GPU_INVALID_VALUE);
	return fake_leave(queue_word(fake_stream(c, stream), p, &w, wait_word));
}

FAKE_CU(stream_write32, cuStreamWriteValue32_v2)(void *stream, gpu_ptr p, uint32_t value, unsigned flags)
{
	struct ctx *c;
	int rc = fake_enter("cuStreamWriteValue32_v2", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct word w = {.value = value};
	return fake_leave(flags ? GPU_INVALID_VALUE : queue_word(fake_stream(c, stream), p, &w, write_word));
}

/* ---- events */

static struct event *event_of(const struct ctx *c, void *handle, int *code)
{
	for (struct event *e = events; e; e = e->next) {
		if (e != handle || e->is_destroyed)
			continue;
		*code = e->ctx == c && e->generation == c->generation ? 0 : GPU_INVALID_CONTEXT;
		return *code ? NULL : e;
	}
	*code = CU_INVALID_HANDLE;
	return NULL;
}

FAKE_CU(event_create, cuEventCreate)(void **event, unsigned flags)
{
	struct ctx *c;
	int rc = fake_enter("cuEventCreate", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct event *e = calloc(1, sizeof(*e));
	if (!e)
		abort();
	*e = (struct event){
		.next = events, .ctx = c, .generation = c->generation, .has_time = !(flags & GPU_EVENT_NO_TIMING)};
	events = e;
	*event = e;
	return fake_leave(0);
}

FAKE_CU(event_destroy, cuEventDestroy_v2)(void *event)
{
	struct ctx *c;
	int rc = fake_enter("cuEventDestroy_v2", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct event *e = event_of(c, event, &rc);
	if (e)
		e->is_destroyed = true;
	return fake_leave(rc);
}

FAKE_CU(event_record, cuEventRecord)(void *event, void *stream)
{
	struct ctx *c;
	int rc = fake_enter("cuEventRecord", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct event *e = event_of(c, event, &rc);
	struct stream *s = fake_stream(c, stream);
	if (!e || !s)
		return fake_leave(e ? CU_INVALID_HANDLE : rc);
	struct op *op = fake_op(s);
	op->event = e;
	op->ns = EVENT_NS;
	fake_queue(op);
	e->is_recorded = true;
	e->at = fake_place(s);
	return fake_leave(0);
}

FAKE_CU(event_query, cuEventQuery)(void *event)
{
	struct ctx *c;
	int rc = fake_enter("cuEventQuery", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	const struct event *e = event_of(c, event, &rc);
	return fake_leave(e && e->is_recorded && !is_reached(e->at) ? GPU_NOT_READY : rc);
}

FAKE_CU(event_sync, cuEventSynchronize)(void *event)
{
	struct ctx *c;
	int rc = fake_enter("cuEventSynchronize", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	const struct event *e = event_of(c, event, &rc);
	if (e && e->is_recorded)
		fake_wait(e->at);
	return fake_leave(rc ? rc : c->sticky);
}

FAKE_CU(event_elapsed, cuEventElapsedTime)(float *ms, void *start, void *end)
{
	struct ctx *c;
	int rc = fake_enter("cuEventElapsedTime", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	const struct event *a = event_of(c, start, &rc), *b = rc ? NULL : event_of(c, end, &rc);
	if (!a || !b)
		return fake_leave(rc);
	if (!a->is_recorded || !b->is_recorded || !a->has_time || !b->has_time)
		return fake_leave(CU_INVALID_HANDLE);
	if (!is_reached(a->at) || !is_reached(b->at))
		return fake_leave(GPU_NOT_READY);
	*ms = (float)((double)(b->ns - a->ns) / 1e6);
	return fake_leave(0);
}

FAKE_CU(stream_wait_event, cuStreamWaitEvent)(void *stream, void *event, unsigned flags)
{
	struct ctx *c;
	int rc = fake_enter("cuStreamWaitEvent", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	const struct event *e = event_of(c, event, &rc);
	struct stream *s = fake_stream(c, stream);
	if (!e || !s || flags > 1)
		return fake_leave(e ? s ? GPU_INVALID_VALUE : CU_INVALID_HANDLE : rc);
	if (!e->is_recorded)
		return fake_leave(0);
	struct op *op = fake_op(s);
	add_after(op, e->at);
	fake_queue(op);
	return fake_leave(0);
}
