/* Slim, mended and redacted traces.
 * In: a trace, what of it stays.
 * Out: a valid trace of the same form, in pieces.
 * Never: writes an event that it could not read whole. */
#include "read/kineto/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "read/kineto/internal.h"
#include "read/kineto/mend.h"

#define PIECE ((size_t)1 << 20)

struct job {
	const struct kineto_rewrite *o;
	struct kineto_rewritten *n;
	struct mend mend;
	struct buf out, event, later; /* later: members that stand behind the first event */
	struct map members;           /* names of those that were written */
	struct arena arena;
	uint32_t *kept; /* correlations of activities that stay, sorted */
	size_t n_kept;
	int64_t device_from, device_to; /* of those activities */
	bool any_member, in_events, ok;
	struct err *e;
};

static void flush(struct job *j, size_t least)
{
	if (j->out.n < least || !j->ok)
		return;
	j->ok = j->o->write(j->o->ctx, &j->out, j->e);
	buf_clear(&j->out);
}

static void open_events(struct job *j)
{
	if (j->in_events)
		return;
	buf_puts(&j->out, j->any_member ? ",\n\"traceEvents\":[" : "\"traceEvents\":[");
	j->in_events = true;
}

static bool is_known_member(struct str key)
{
	static const char *const known[] = {"schemaVersion",        "deviceProperties",    "cupti_version",
					    "cuda_runtime_version", "cuda_driver_version", "roctracer_version",
					    "hip_runtime_version",  "hip_driver_version",  "record_shapes",
					    "profile_memory",       "with_stack",          "with_flops",
					    "with_modules",         "distributedInfo",     "displayTimeUnit",
					    "baseTimeNanoseconds",  "rocprofiler_version"};
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		if (str_is(key, known[i]))
			return true;
	}
	return false;
}

static void member(void *ctx, struct str key, struct str value)
{
	struct job *j = ctx;
	bool is_new;
	struct buf *to = j->in_events ? &j->later : &j->out;
	size_t before = to->n;
	buf_clear(&j->event);
	buf_char(&j->event, '"');
	buf_str(&j->event, key);
	buf_char(&j->event, '"');
	struct mend m = {.p = j->event.p, .end = j->event.n};
	if (j->any_member)
		buf_puts(to, ",\n");
	size_t from = to->n;
	bool ok = mend_value(&m, to, 0) == m.end;
	struct str written = {to->p + from, to->n - from}; /* two keys may be one when they are mended */
	(void)map_intern(&j->members, written, &is_new);
	if (!ok || !is_new || str_is(written, "\"assayMark\"") || str_is(written, "\"traceEvents\"")) {
		to->n = before;
		return;
	}
	buf_char(to, ':');
	m = (struct mend){.p = value.p, .end = value.n, .redact = j->o->redact};
	if (j->o->redact && !is_known_member(key)) {
		buf_puts(to, "\"" REDACTED "\"");
		j->o->redact->n_secrets++;
	} else {
		ok = mend_value(&m, to, 0) != 0;
	}
	j->n->n_mended += m.n_mended;
	if (!ok)
		to->n = before;
	j->any_member |= ok;
	flush(j, PIECE);
}

static bool number_of(const struct mend *m, const char *key, bool in_args, int64_t *out)
{
	struct str text = mend_field(m, key, in_args);
	return text.n && str_i64(text, out);
}

static bool time_of(const struct mend *m, const char *key, int64_t *out)
{
	struct kineto_trust ignored = {0};
	struct str text = mend_field(m, key, false);
	return text.n && kineto_time(&ignored, text.p, text.p + text.n, out);
}

static int by_id(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

static bool is_kept(const struct job *j, int64_t correlation)
{
	uint32_t key = (uint32_t)correlation;
	return correlation > 0 && correlation <= UINT32_MAX &&
	       bsearch(&key, j->kept, j->n_kept, sizeof(*j->kept), by_id) != NULL;
}

static bool is_device(enum category c)
{
	return c == CAT_KERNEL || c == CAT_MEMCPY || c == CAT_MEMSET;
}

static bool wanted_device(const struct kineto_cut *c, const struct mend *m)
{
	int64_t device;
	if (!c->n_devices || (!number_of(m, "device", true, &device) && !number_of(m, "pid", false, &device)))
		return true;
	for (size_t i = 0; i < c->n_devices; i++) {
		if (c->devices[i] == device)
			return true;
	}
	return false;
}

static bool in_window(const struct job *j, enum category cat, int64_t ts, int64_t dur)
{
	const struct kineto_cut *c = j->o->cut;
	const struct mend *m = &j->mend;
	int64_t id, end = dur > 0 ? ts + dur : ts;
	bool starts = ts >= c->from_ns && ts < c->to_ns;
	if (is_device(cat)) {
		bool linked = number_of(m, "correlation", true, &id) && id > 0 && id <= UINT32_MAX &&
			      kineto_launch_of(j->o->trace, (uint32_t)id);
		return c->by_launch && linked ? is_kept(j, id) : starts;
	}
	if (cat == CAT_DEVICE_ANNOTATION)
		return ts < j->device_to && end > j->device_from;
	if (cat == CAT_FLOW && number_of(m, "id", false, &id))
		return is_kept(j, id) || starts;
	if (cat == CAT_RUNTIME && number_of(m, "correlation", true, &id) && is_kept(j, id))
		return true;
	return ts < c->to_ns && (end > c->from_ns || starts);
}

static bool stays(const struct job *j)
{
	const struct kineto_cut *c = j->o->cut;
	const struct mend *m = &j->mend;
	struct str cat = mend_field(m, "cat", false), ph = mend_field(m, "ph", false);
	int64_t ts, dur = 0;
	if (!c || str_is(ph, "M"))
		return true;
	for (size_t i = 0; i < c->n_drop; i++) {
		if (str_is(cat, c->drop[i]))
			return false;
	}
	enum category kind = category_of(cat);
	if (is_device(kind) && !wanted_device(c, m))
		return false;
	if (!c->has_window || !time_of(m, "ts", &ts))
		return true;
	(void)time_of(m, "dur", &dur);
	return in_window(j, kind, ts, dur);
}

/* A process may be named by its whole command line. */
static bool is_process_name(const struct mend *m)
{
	struct str name = mend_field(m, "name", false);
	return str_is(mend_field(m, "ph", false), "M") && str_is(name, "process_name");
}

static void one_event(struct job *j, const struct piece *p, struct event_span span)
{
	struct mend *m = &j->mend;
	m->p = p->p;
	m->end = span.end;
	m->quotes = p->quotes;
	m->redact = j->o->redact;
	buf_clear(&j->event);
	j->n->n_events++;
	if (p->p[span.begin] != '{' || !mend_value(m, &j->event, span.begin)) {
		j->n->n_broken++;
		return;
	}
	if (!stays(j))
		return;
	buf_puts(&j->out, j->n->n_kept++ ? ",\n" : "\n");
	if (j->o->redact && is_process_name(m)) {
		struct str pid = mend_field(m, "pid", false);
		int64_t number;
		buf_printf(&j->out,
			   "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%s%.*s%s,\"args\":{\"name\":\"process\"}}",
			   str_i64(pid, &number) ? "" : "\"", STR_ARG(pid), str_i64(pid, &number) ? "" : "\"");
	} else {
		buf_str(&j->out, buf_view(&j->event));
	}
	flush(j, PIECE);
}

static void events(void *ctx, const struct piece *p)
{
	struct job *j = ctx;
	if (p->n_events)
		open_events(j);
	for (size_t i = 0; i < p->n_events && j->ok; i++)
		one_event(j, p, p->events[i]);
}

/* Correlations and extent of the activities that stay. */
static void find_kept(struct job *j)
{
	const struct kineto_trace *t = j->o->trace;
	const struct kineto_cut *c = j->o->cut;
	j->device_from = INT64_MAX;
	j->device_to = INT64_MIN;
	if (!c || !c->has_window || !t)
		return;
	j->kept = ARENA_ARRAY(&j->arena, t->n_activities + 1, uint32_t);
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct kineto_activity *a = &t->activities[i];
		const struct kineto_launch *l = c->by_launch ? kineto_launch_of(t, a->correlation) : NULL;
		int64_t at = l ? l->start_ns : a->start_ns;
		if (at < c->from_ns || at >= c->to_ns)
			continue;
		if (a->correlation)
			j->kept[j->n_kept++] = a->correlation;
		j->device_from = a->start_ns < j->device_from ? a->start_ns : j->device_from;
		j->device_to = a->start_ns + a->dur_ns > j->device_to ? a->start_ns + a->dur_ns : j->device_to;
	}
	qsort(j->kept, j->n_kept, sizeof(*j->kept), by_id);
}

bool kineto_rewrite(struct kineto_rewritten *out, const char *path, const struct kineto_rewrite *o, struct err *e)
{
	struct job j = {.o = o, .n = out, .ok = true, .e = e};
	struct kineto_hook hook = {events, member, &j};
	struct kineto_options options = {.flags = KINETO_ONE_THREAD};
	struct kineto_store *s = malloc(sizeof(*s));
	struct input *source = input_open(path, e);
	*out = (struct kineto_rewritten){0};
	if (!s)
		BUG("out of memory");
	if (!source) {
		free(s);
		return false;
	}
	gather_init(s, &options);
	s->hook = &hook;
	arena_init(&j.arena);
	map_init(&j.members, &j.arena);
	buf_init(&j.out);
	buf_init(&j.event);
	buf_init(&j.later);
	find_kept(&j);
	buf_puts(&j.out, "{\"assayMark\":");
	json_write(&j.out, o->mark, JSON_COMPACT);
	j.any_member = true;
	bool ok = scan_trace(s, source, path, e);
	open_events(&j);
	buf_puts(&j.out, "\n]");
	buf_str(&j.out, buf_view(&j.later));
	buf_puts(&j.out, "}\n");
	if (ok)
		flush(&j, 0);
	out->n_mended += j.mend.n_mended + s->trace.trust.n_raw_breaks;
	out->lost_bytes = s->trace.trust.lost_bytes;
	out->torn_offset = s->trace.trust.is_torn ? s->trace.trust.torn_offset : 0;
	buf_release(&j.out);
	buf_release(&j.event);
	buf_release(&j.later);
	arena_release(&j.arena);
	input_close(source);
	gather_release(s);
	free(s);
	return ok && j.ok;
}

bool kineto_step_window(struct kineto_cut *out, const struct kineto_trace *t, int64_t first, int64_t last)
{
	bool any = false;
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct kineto_span *s = &t->spans[i];
		struct str name = t->names[s->name];
		size_t at = str_find_char(name, '#');
		int64_t number;
		if (!s->is_step || s->on_device || at == SIZE_MAX || !str_i64(str_sub(name, at + 1, name.n), &number) ||
		    number < first || number > last)
			continue;
		int64_t end = s->start_ns + s->dur_ns;
		out->from_ns = any && out->from_ns < s->start_ns ? out->from_ns : s->start_ns;
		out->to_ns = any && out->to_ns > end ? out->to_ns : end;
		any = true;
	}
	out->has_window = out->by_launch = any;
	return any;
}
