/* PyTorch traces.
 * In: a Kineto trace, plain or compressed. Out: one observation a complete event; sums over its kernels beside them.
 * Order is that of the text. Times are the trace's own microseconds.
 * Never: shortens a name or drops an event. */
#include <math.h>

#include "base/map.h"
#include "inspect/collect.h"
#include "inspect/material.h"
#include "protocol/shape.h"
#include "read/kineto/complete.h"

#define DIALECTS "chrome-trace-v1"
#define MAX_EVENTS UINT64_C(2000000)
#define MAX_UNMODELED 128

struct taking {
	struct inspection *i;
	struct arena *a;
	struct json *list, *id, *unit, *aggregation, *source, *tool;
	struct map texts;  /* names and categories, each once */
	struct map phases; /* other phases: counts */
	uint64_t n;
};

static struct json *text_of(struct taking *t, struct str s)
{
	struct map_entry *at = map_intern(&t->texts, s, NULL);
	if (!at->value)
		at->value = json_new_str(t->a, at->key);
	return at->value;
}

static void count_phase(struct taking *t, struct str phase)
{
	struct map_entry *at = map_intern(&t->phases, phase, NULL);
	if (!at->value)
		at->value = ARENA_NEW(t->a, uint64_t);
	++*(uint64_t *)at->value;
}

static bool check_event(const struct json *x, struct err *e)
{
	static const char *const texts[] = {"name", "cat"}, *const numbers[] = {"ts", "dur"},
				 *const places[] = {"pid", "tid"};
	for (size_t k = 0; k < COUNT_OF(texts); k++) {
		const struct json *v = json_get(x, texts[k]);
		if (!v || v->type != JSON_STRING)
			return err_set(e, ERR_INPUT, "a complete event without a text \"%s\"", texts[k]);
	}
	for (size_t k = 0; k < COUNT_OF(numbers); k++) {
		const struct json *v = json_get(x, numbers[k]);
		if (!v || !json_is_number(v) || !isfinite(v->real))
			return err_set(e, ERR_INPUT, "a complete event whose \"%s\" is no number", numbers[k]);
	}
	if (json_f64(x, "dur", 0) < 0)
		return err_set(e, ERR_INPUT, "a complete event that lasts %g us", json_f64(x, "dur", 0));
	for (size_t k = 0; k < COUNT_OF(places); k++) {
		const struct json *v = json_get(x, places[k]);
		if (!v || (!json_is_number(v) && v->type != JSON_STRING))
			return err_set(e, ERR_INPUT, "a complete event without \"%s\"", places[k]);
	}
	return true;
}

static struct json *scope_of(struct taking *t, const struct json *x)
{
	struct json *scope = json_array(t->a);
	json_push(scope, text_of(t, STR("process")));
	json_push(scope, shape_copy(t->a, json_get(x, "pid")));
	json_push(scope, text_of(t, STR("thread")));
	json_push(scope, shape_copy(t->a, json_get(x, "tid")));
	return scope;
}

static bool take_event(void *ctx, const struct json *x, struct err *e)
{
	struct taking *t = ctx;
	struct str phase = json_str(x, "ph", STR(""));
	protocol_step(t->i->p, "invalid_trace_event");
	if (!str_is(phase, "X")) {
		count_phase(t, phase);
		return true;
	}
	if (!check_event(x, e))
		return false;
	protocol_step(t->i->p, "event_limit_exceeded");
	if (++t->n > MAX_EVENTS)
		return err_set(e, ERR_INPUT, "more than %llu complete events; cut the trace to a window",
			       (unsigned long long)MAX_EVENTS);
	double ts = json_f64(x, "ts", 0), dur = json_f64(x, "dur", 0);
	struct json *o = json_object(t->a), *interval = json_set_object(o, "interval"), *v = json_new_f64(t->a, dur);
	json_set_f64(interval, "start_us", ts);
	json_set_f64(interval, "end_us", ts + dur);
	json_set(o, "semantic_id", t->id);
	json_set(o, "value", v);
	json_set(o, "unit", t->unit);
	json_set(o, "duration_us", v);
	json_set(o, "category", text_of(t, json_str(x, "cat", STR(""))));
	json_set(o, "name", text_of(t, json_str(x, "name", STR(""))));
	json_set(o, "scope", scope_of(t, x));
	json_set(o, "aggregation", t->aggregation);
	json_set(o, "source", t->source);
	json_set(o, "tool", t->tool);
	json_push(t->list, o);
	return true;
}

static bool check_schema(struct taking *t, const struct kineto_summary *s, struct err *e)
{
	const struct json *v = json_get(s->members, "schemaVersion");
	protocol_step(t->i->p, "unsupported_report");
	return !v || (json_is_number(v) && v->real == 1) ||
	       err_set(e, ERR_INPUT, "schemaVersion is not 1: another form of trace");
}

static void put_unmodeled(struct json *result, const struct taking *t, const struct kineto_summary *s)
{
	struct json *j = json_set_object(result, "unmodeled"), *fields = json_set_array(j, "fields"),
		    *phases = json_set_object(j, "phases");
	for (size_t i = 0; i < s->members->n && fields->n < MAX_UNMODELED; i++)
		json_push_str(fields, s->members->members[i].key);
	for (size_t i = 0; i < t->phases.n; i++)
		json_put(phases, t->phases.entries[i].key,
			 json_new_u64(t->a, *(const uint64_t *)t->phases.entries[i].value));
}

static bool read_trace(struct json *result, struct inspection *i, struct err *e)
{
	struct taking t = {.i = i, .a = i->p->arena};
	struct material_report r;
	struct kineto_summary s;
	if (!material_open(&r, i, "kineto", e))
		return false;
	map_init(&t.texts, t.a);
	map_init(&t.phases, t.a);
	t.list = json_set_array(result, "observations");
	t.id = json_new_str(t.a, STR("pytorch.trace.complete_event"));
	t.unit = json_new_str(t.a, STR("us"));
	t.aggregation = json_new_str(t.a, STR("single_complete_event"));
	t.source = json_object(t.a);
	json_set_cstr(t.source, "phase", "X");
	json_set_cstr(t.source, "timestamp_unit", "us");
	t.tool = r.tool;
	protocol_step(i->p, "invalid_trace_event");
	if (!kineto_each_event(&s, t.a, r.path, take_event, &t, e) || !check_schema(&t, &s, e))
		return false;
	json_set(result, "provenance", material_provenance(i, &r));
	json_push_str(json_get(json_get(result, "provenance"), "metrics"), STR("pytorch.trace.complete_event"));
	put_unmodeled(result, &t, &s);
	json_set_u64(r.assay, "n_events", s.n_events);
	json_set_u64(r.assay, "n_complete", t.n);
	json_set(result, "assay", r.assay);
	return true;
}

static bool freeze_trace(struct inspection *i, struct err *e)
{
	return material_freeze_report(i, "pytorch_profiler", DIALECTS, e);
}

static const struct collecting collecting = {.capability = "pytorch_chrome_trace_v1",
					     .operation = "profile_pytorch_collect",
					     .kind = "pytorch_collect",
					     .dialect = DIALECTS};

const struct family family_pytorch = {
	.name = "pytorch",
	.format = PROTOCOL("pytorch-input-v1"),
	.code = "invalid_pytorch_input",
	.contract = PROTOCOL("profiler-result-v1"),
	.record_type = "profiler_result",
	.members = "report_ref:o",
	.freeze = freeze_trace,
	.read = read_trace,
	.collecting = &collecting,
	.collect_members = "",
};
