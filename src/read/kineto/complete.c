/* The events of a trace, each as a tree.
 * In: a path. Out: a call for every event, in the order of the text.
 * One event is held at a time.
 * Never: mends what is broken; it says where the file stops being a trace. */
#include "read/kineto/complete.h"

#include <stdlib.h>

#include "read/kineto/internal.h"

#define MEMBER_MAX ((size_t)64 << 10)

struct job {
	struct kineto_summary *out;
	const char *path;
	kineto_each *each;
	void *ctx;
	struct arena scratch;
	bool ok;
	struct err *e;
};

static void events(void *ctx, const struct piece *p)
{
	struct job *j = ctx;
	for (size_t i = 0; j->ok && i < p->n_events; i++) {
		const struct event_span *s = &p->events[i];
		struct arena_mark mark = arena_mark(&j->scratch);
		struct str text = {p->p + s->begin, s->end - s->begin};
		const struct json *event =
			json_parse(&j->scratch, "event", text, JSON_ALLOW_NAN | JSON_ALLOW_DUPLICATES, j->e);
		j->ok = event && (event->type == JSON_OBJECT || err_set(j->e, ERR_INPUT, "is no object")) &&
			j->each(j->ctx, event, j->e);
		if (!j->ok)
			err_prefix(j->e, "%s: event %llu at byte %llu", j->path, (unsigned long long)j->out->n_events,
				   (unsigned long long)(p->offset + s->begin));
		arena_reset(&j->scratch, mark);
		j->out->n_events++;
	}
}

static void member(void *ctx, struct str key, struct str value)
{
	struct job *j = ctx;
	struct arena *a = j->out->members->arena;
	struct err ignored;
	struct json *v = value.n > MEMBER_MAX ? NULL : json_parse(a, "member", value, JSON_ALLOW_NAN, &ignored);
	json_put(j->out->members, key, v ? v : json_new_null(a));
}

static bool is_whole(const struct job *j, const struct kineto_store *s, struct input *source, struct err *e)
{
	const struct kineto_trust *t = &s->trace.trust;
	struct str problem = input_problem(source);
	if (problem.n)
		return err_set(e, ERR_INPUT, "%s: %.*s", j->path, STR_ARG(problem));
	if (t->is_torn)
		return err_set(e, ERR_INPUT, "%s: ends inside the trace at byte %llu", j->path,
			       (unsigned long long)t->torn_offset);
	return t->lost_bytes == 0 || err_set(e, ERR_INPUT, "%s: %llu bytes between events are no events", j->path,
					     (unsigned long long)t->lost_bytes);
}

bool kineto_each_event(struct kineto_summary *out, struct arena *a, const char *path, kineto_each *each, void *ctx,
		       struct err *e)
{
	struct job j = {.out = out, .path = path, .each = each, .ctx = ctx, .ok = true, .e = e};
	struct kineto_hook hook = {events, member, &j};
	struct kineto_options options = {.flags = KINETO_ONE_THREAD};
	*out = (struct kineto_summary){.members = json_object(a)};
	struct input *source = input_open(path, e);
	if (!source)
		return false;
	struct kineto_store *s = malloc(sizeof(*s));
	if (!s)
		BUG("out of memory");
	gather_init(s, &options);
	s->hook = &hook;
	arena_init(&j.scratch);
	bool ok = scan_trace(s, source, path, e) && j.ok && is_whole(&j, s, source, e);
	arena_release(&j.scratch);
	input_close(source);
	gather_release(s);
	free(s);
	return ok;
}
