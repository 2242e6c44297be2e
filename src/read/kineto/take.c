/* Takes what an event says: activities, launches, operators, spans, calls.
 * In: an event whose keys were walked.
 * Out: rows and sums in the store.
 * Never parses a number that its category does not need. */
#include "read/kineto/event.h"

#include <errno.h>

#include "base/sum.h"
#include "read/kineto/memory.h"
#include "read/kineto/scope.h"

#define MAX_WIDE ((size_t)1 << 20)

/* Ids beyond 32 bits get small ones from the upper end, each its own; those beyond MAX_WIDE count as not written. */
static uint32_t id32(struct kineto_store *s, uint64_t v)
{
	if (v <= UINT32_MAX)
		return (uint32_t)v;
	s->trace.trust.n_wide_ids++;
	struct str key = {(const char *)&v, sizeof(v)};
	struct map_entry *at =
		s->wide_ids.n < MAX_WIDE ? map_intern(&s->wide_ids, key, NULL) : map_find(&s->wide_ids, key);
	return at ? UINT32_MAX - (uint32_t)(at - s->wide_ids.entries) : 0;
}

static void *added(struct kineto_store *s, struct column *c)
{
	void *p = column_add(c, &s->budget);
	if (!p && !s->failed) {
		s->failed = true;
		s->error = errno;
	}
	return p;
}

/* A time that the event must have; 0 and false when it is missing or no number. */
static bool time_at(struct kineto_store *s, const struct event *e, uint32_t at, int64_t *ns)
{
	*ns = 0;
	return at && kineto_time(&s->trace.trust, e->p + at, e->p + e->end, ns);
}

static int64_t id_at(struct kineto_store *s, const struct event *e, uint32_t at)
{
	int64_t v = -1;
	if (at)
		(void)kineto_integer(&s->trace.trust, e->p + at, e->p + e->end, &v);
	return v;
}

static uint32_t thread_of(struct kineto_store *s, const struct event *e)
{
	return gather_thread(s, id_at(s, e, e->pid), id_at(s, e, e->tid));
}

static uint16_t lane_of(struct kineto_store *s, const struct event *e)
{
	return gather_lane(s, e->has & HAS_DEVICE ? e->device : id_at(s, e, e->pid),
			   e->has & HAS_STREAM ? e->stream : id_at(s, e, e->tid), e->context);
}

static void add_activity(struct kineto_store *s, struct event *e, int64_t ts, int64_t dur)
{
	struct kineto_trust *trust = &s->trace.trust;
	struct kineto_activity *a = added(s, &s->activities);
	if (!a)
		return;
	if (e->bytes > 0) {
		e->config.bytes = (uint64_t)e->bytes;
		e->config.has |= 8;
	}
	trust->n_negative += dur < 0;
	*a = (struct kineto_activity){
		.start_ns = ts,
		.dur_ns = dur < 0 ? 0 : dur,
		.name = gather_name(s, e->name),
		.config = gather_config(s, &e->config),
		.correlation = id32(s, e->correlation),
		.external = id32(s, e->external),
		.lane = lane_of(s, e),
		.kind = e->cat == CAT_KERNEL   ? KINETO_KERNEL
			: e->cat == CAT_MEMCPY ? KINETO_MEMCPY
					       : KINETO_MEMSET,
	};
	if (dur <= 0 || ts == 0) {
		a->flags |= KINETO_ZERO;
		trust->n_zero += dur == 0 || ts == 0;
	}
	if (a->kind == KINETO_KERNEL && (s->names[a->name].flags & NAME_COLLECTIVE))
		a->flags |= KINETO_COLLECTIVE;
}

static void take_activity(struct kineto_store *s, struct event *e)
{
	int64_t ts, dur;
	bool has_ts = time_at(s, e, e->ts, &ts);
	(void)time_at(s, e, e->dur, &dur);
	s->n_device++;
	s->n_without_ts += !e->ts;
	s->n_without_dur += !e->dur;
	s->trace.trust.n_bad_numbers += !e->ts;
	if (has_ts)
		add_activity(s, e, ts, dur);
}

static void take_runtime(struct kineto_store *s, struct event *e)
{
	int64_t ts, dur;
	uint32_t name = gather_name(s, e->name);
	(void)time_at(s, e, e->dur, &dur);
	gather_call(s, name, CALLS_RUNTIME, dur);
	if (!(s->names[name].flags & (NAME_LAUNCH | NAME_SYNC)) || !e->correlation)
		return;
	struct kineto_launch *l = added(s, &s->launches);
	(void)time_at(s, e, e->ts, &ts);
	if (l)
		*l = (struct kineto_launch){.start_ns = ts,
					    .dur_ns = clip32(dur),
					    .name = name,
					    .correlation = id32(s, e->correlation),
					    .external = id32(s, e->external),
					    .thread = thread_of(s, e),
					    .config = gather_config(s, &e->config)};
}

static void take_id(struct kineto_store *s, const struct event *e, uint32_t name)
{
	if (!e->external)
		return;
	struct operator_id *o = added(s, &s->operators);
	if (o)
		*o = (struct operator_id){id32(s, e->external), name};
}

static void take_scope(struct kineto_store *s, const struct event *e, enum kineto_scope_kind kind, uint32_t name)
{
	int64_t ts, dur;
	if (!(s->flags & KINETO_SCOPES) || !time_at(s, e, e->ts, &ts))
		return;
	(void)time_at(s, e, e->dur, &dur);
	struct kineto_scope *v = added(s, &s->scopes);
	if (!v)
		return;
	if (dur < 0)
		ts = dur = 0;
	bool has_sequence = e->sequence >= 0 && e->sequence < KINETO_NO_SEQUENCE;
	*v = (struct kineto_scope){.start_ns = ts,
				   .dur_ns = dur,
				   .name = name,
				   .thread = thread_of(s, e),
				   .sequence = has_sequence ? (uint32_t)e->sequence : KINETO_NO_SEQUENCE,
				   .parent = (uint32_t)s->scopes.n,
				   .kind = (uint8_t)kind,
				   .is_backward = has_sequence && e->forward_thread > 0};
}

static void take_operator(struct kineto_store *s, const struct event *e)
{
	int64_t dur;
	uint32_t name = gather_name(s, e->name);
	(void)time_at(s, e, e->dur, &dur);
	gather_call(s, name, CALLS_OPERATOR, dur);
	take_id(s, e, name);
	take_scope(s, e, KINETO_OPERATOR, name);
}

/* Of the Python functions only the calls of modules. */
static void take_python(struct kineto_store *s, const struct event *e)
{
	if (str_starts(e->name, "nn.Module: "))
		take_scope(s, e, KINETO_MODULE, gather_name(s, str_sub(e->name, 11, e->name.n)));
}

static void take_span(struct kineto_store *s, const struct event *e)
{
	int64_t ts, dur;
	bool device = e->cat == CAT_DEVICE_ANNOTATION;
	uint32_t name = gather_name(s, e->name);
	if (!time_at(s, e, e->ts, &ts))
		return;
	(void)time_at(s, e, e->dur, &dur);
	struct kineto_span *span = added(s, &s->spans);
	if (!span)
		return;
	*span = (struct kineto_span){.start_ns = ts,
				     .dur_ns = dur,
				     .name = name,
				     .place = device ? lane_of(s, e) : thread_of(s, e),
				     .on_device = device,
				     .is_step = (s->names[name].flags & NAME_STEP) != 0,
				     .is_window = e->cat == CAT_WINDOW};
	if (e->cat == CAT_ANNOTATION) { /* kernels outside operators name the annotation */
		take_id(s, e, name);
		take_scope(s, e, KINETO_ANNOTATION, name);
	}
}

static void take_allocation(struct kineto_store *s, const struct event *e)
{
	int64_t ts;
	if (!(s->flags & KINETO_MEMORY) || !time_at(s, e, e->ts, &ts))
		return;
	struct kineto_allocation *v = added(s, &s->allocations);
	bool on_device = e->device_type != 0 && e->device_id >= 0 && e->device_id <= INT32_MAX;
	if (v)
		*v = (struct kineto_allocation){.ts_ns = ts,
						.bytes = e->bytes,
						.allocated = e->total_allocated,
						.reserved = e->total_reserved,
						.device = on_device ? (int32_t)e->device_id : -1,
						.at = (uint32_t)s->allocations.n};
}

static void take_memory(struct kineto_store *s, const struct event *e)
{
	struct memory_sum *m = &s->memory[e->device_type == 1];
	if (!str_is(e->name, "[memory]"))
		return;
	take_allocation(s, e);
	m->n++;
	m->n_alloc += e->bytes > 0;
	m->n_free += e->bytes < 0;
	if (e->total_allocated > m->peak_allocated) {
		m->peak_allocated = e->total_allocated;
		(void)time_at(s, e, e->ts, &m->peak_ns);
	}
	m->peak_reserved = e->total_reserved > m->peak_reserved ? e->total_reserved : m->peak_reserved;
}

void kineto_take(struct kineto_store *s, struct event *e)
{
	int64_t dur;
	switch (e->cat) {
	case CAT_KERNEL:
	case CAT_MEMCPY:
	case CAT_MEMSET:
		take_activity(s, e);
		break;
	case CAT_RUNTIME:
		take_runtime(s, e);
		break;
	case CAT_OPERATOR:
		take_operator(s, e);
		break;
	case CAT_ANNOTATION:
	case CAT_DEVICE_ANNOTATION:
	case CAT_WINDOW:
		take_span(s, e);
		break;
	case CAT_SYNC:
		(void)time_at(s, e, e->dur, &dur);
		gather_call(s, gather_name(s, e->name), CALLS_SYNC, dur);
		break;
	case CAT_OVERHEAD:
		(void)time_at(s, e, e->dur, &dur);
		s->trace.trust.n_overhead++;
		sum_add(&s->trace.trust.overhead_ns, dur > 0 ? dur : 0);
		break;
	case CAT_INSTANT:
		take_memory(s, e);
		break;
	case CAT_PYTHON:
		take_python(s, e);
		break;
	case CAT_UNKNOWN:
	case CAT_FLOW:
	case CAT_OTHER:
	case CATEGORIES:
		break;
	}
}
