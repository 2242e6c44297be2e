/* A PyTorch trace in the common form.
 * In: a trace that was read.
 * Out: activities with their launch calls and operators, calls that wait, annotations and steps.
 * Never: keeps an end that its stream shows to be wrong; such ends are cut and counted. */
#include "base/sum.h"
#include "read/kineto/internal.h"

struct job {
	const struct kineto_trace *t;
	struct trace *out;
	uint32_t *names;   /* by name of t: index + 1 */
	uint32_t *calls;   /* by launch of t: index + 1 */
	uint16_t *threads; /* by thread of t */
};

static uint32_t name_of(struct job *j, uint32_t name)
{
	if (!j->names[name])
		j->names[name] = trace_name(j->out, j->t->names[name]) + 1;
	return j->names[name] - 1;
}

/* An end that no clock reaches is one that trace.h refuses. */
static int64_t end_after(int64_t start, int64_t dur)
{
	int64_t end;
	return __builtin_add_overflow(start, dur, &end) ? INT64_MAX : end;
}

static void add_calls(struct job *j)
{
	for (size_t i = 0; i < j->t->n_launches; i++) {
		const struct kineto_launch *l = &j->t->launches[i];
		bool blocks = j->t->store->names[l->name].flags & NAME_SYNC;
		struct trace_call c = {
			.start_ns = l->start_ns,
			.end_ns = end_after(l->start_ns, l->dur_ns),
			.name = name_of(j, l->name),
			.thread = j->threads[l->thread],
			.flags = (uint8_t)((l->n_activities ? TRACE_CALL_LAUNCHES : 0) |
					   (blocks ? TRACE_CALL_BLOCKS : 0)),
		};
		/* a launch call without work on the device proves nothing */
		if (c.flags)
			j->calls[i] = trace_add_call(j->out, &c);
	}
}

/* The end as recorded, or the next start on the lane where the recorded one cannot be true. */
static int64_t end_of(struct job *j, size_t i)
{
	const struct kineto_activity *a = &j->t->activities[i];
	int64_t end = a->start_ns + a->dur_ns;
	if (!(a->flags & KINETO_SUSPECT))
		return end;
	for (size_t k = i + 1; k < j->t->n_activities && j->t->activities[k].start_ns < end; k++) {
		const struct kineto_activity *next = &j->t->activities[k];
		if (next->lane != a->lane)
			continue;
		j->out->n_clipped++;
		sum_add(&j->out->clipped_ns, end - next->start_ns);
		return next->start_ns;
	}
	return end;
}

static uint32_t call_of(const struct job *j, const struct kineto_activity *a)
{
	const struct kineto_launch *l = a->flags & KINETO_LINKED ? kineto_launch_of(j->t, a->correlation) : NULL;
	return l ? j->calls[l - j->t->launches] : 0;
}

static void add_activities(struct job *j, const uint16_t *lanes)
{
	for (size_t i = 0; i < j->t->n_activities; i++) {
		const struct kineto_activity *a = &j->t->activities[i];
		uint32_t op = kineto_operator(j->t, a);
		if (a->start_ns == 0) {
			j->out->n_left_out++;
			continue;
		}
		struct trace_activity v = {
			.start_ns = a->start_ns,
			.end_ns = end_of(j, i),
			.name = name_of(j, a->name),
			.call = call_of(j, a),
			.op = op == UINT32_MAX ? 0 : name_of(j, op) + 1,
			.lane = lanes[a->lane],
			.kind = a->kind == KINETO_MEMCPY       ? TRACE_COPY
				: a->kind == KINETO_MEMSET     ? TRACE_SET
				: a->flags & KINETO_COLLECTIVE ? TRACE_COMM
							       : TRACE_COMPUTE,
			.flags = (uint8_t)((a->flags & KINETO_SUSPECT ? TRACE_CLIPPED : 0) |
					   (a->flags & KINETO_GRAPH ? TRACE_IN_GRAPH : 0)),
		};
		trace_add_activity(j->out, &v);
	}
}

static void add_ranges(struct job *j)
{
	for (size_t i = 0; i < j->t->n_spans; i++) {
		const struct kineto_span *s = &j->t->spans[i];
		if (s->on_device || s->is_window || s->dur_ns < 0)
			continue;
		struct trace_range r = {.start_ns = s->start_ns,
					.end_ns = end_after(s->start_ns, s->dur_ns),
					.name = name_of(j, s->name),
					.thread = j->threads[s->place],
					.is_step = s->is_step};
		trace_add_range(j->out, &r);
	}
}

static void name_devices(struct job *j)
{
	const struct json *list = json_get(j->t->meta, "deviceProperties");
	for (size_t i = 0; i < j->out->n_devices; i++) {
		for (size_t k = 0; k < (list ? list->n : 0); k++) {
			const struct json *d = json_at(list, k);
			if (json_i64(d, "id", -1) == j->out->devices[i].id)
				j->out->devices[i].name =
					arena_str(&j->out->arena, json_str(d, "name", (struct str){0}));
		}
	}
}

void kineto_to_trace(struct trace *out, const struct kineto_trace *t)
{
	struct job j = {.t = t, .out = out};
	struct arena scratch;
	arena_init(&scratch);
	j.names = ARENA_ARRAY(&scratch, t->n_names + 1, uint32_t);
	j.calls = ARENA_ARRAY(&scratch, t->n_launches + 1, uint32_t);
	j.threads = ARENA_ARRAY(&scratch, t->n_threads + 1, uint16_t);
	uint16_t *lanes = ARENA_ARRAY(&scratch, t->n_lanes + 1, uint16_t);
	for (size_t i = 0; i < t->n_threads; i++)
		j.threads[i] = trace_thread(out, t->threads[i].pid, t->threads[i].tid);
	for (size_t i = 0; i < t->n_lanes; i++)
		lanes[i] = trace_lane(out, -1, t->lanes[i].device, t->lanes[i].context, t->lanes[i].stream);
	add_calls(&j);
	add_activities(&j, lanes);
	add_ranges(&j);
	trace_finish(out);
	name_devices(&j);
	out->rank = json_i64(json_get(t->meta, "distributedInfo"), "rank", -1);
	out->has_base = t->has_base;
	out->base_ns = t->base_ns;
	out->has_blocking_calls = t->n_launches > 0;
	arena_release(&scratch);
}
