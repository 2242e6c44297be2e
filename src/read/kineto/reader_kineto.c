/* PyTorch traces as `assay read` shows them.
 * In: an opened trace.
 * Out: sheets by kernel, category, operator, step and call, what stands against the numbers, facts, JSON.
 * Never: reads the file itself; kineto.h does. */
#include "read/kineto/reader_kineto.h"

#include <stdio.h>

#include "read/kineto/internal.h"
#include "read/kineto/launches.h"
#include "read/kineto/memory.h"
#include "read/kineto/scope.h"
#include "read/kineto/table.h"

#define HEAD 65536
#define JSON_ROWS 100 /* of each table; totals are of all */

static bool is_packed(struct str head)
{
	return str_starts(head, "\x1f\x8b") || str_starts(head, "\x28\xb5\x2f\xfd") || str_starts(head, "PK\3\4");
}

static bool accepts(struct str head, const char *path)
{
	struct err e;
	if (!is_packed(head))
		return kineto_is_trace(head);
	struct input *in = input_open(path, &e);
	if (!in)
		return false;
	struct arena a;
	arena_init(&a);
	char *text = arena_alloc(&a, HEAD);
	bool ok = kineto_is_trace((struct str){text, input_read(in, text, HEAD)});
	arena_release(&a);
	input_close(in);
	return ok;
}

static void *open_report(const char *path, struct err *e)
{
	return kineto_read(path, NULL, e);
}

/* Tables that are made only when they are asked for. */
static bool wants(const char *table, const char *name)
{
	return table && (str_is(str_from(table), name) || str_is(str_from(table), "all"));
}

static void *open_table(const char *path, const char *table, struct err *e)
{
	bool device = str_is(str_from(table), "kernels") || str_is(str_from(table), "categories");
	struct kineto_options o = {.flags = (device ? KINETO_KERNELS_ONLY : 0u) |
					    (wants(table, "scopes") ? KINETO_SCOPES : 0u) |
					    (wants(table, "memory") ? KINETO_MEMORY : 0u)};
	return kineto_read(path, &o, e);
}

static void close_report(void *report)
{
	kineto_free(report);
}

static void derived_of(const struct kineto_trace *t, char *out, size_t cap)
{
	const struct json *mark = json_get(t->meta, "assayMark");
	if (mark)
		snprintf(out, cap, "%.*s from %.64s", STR_ARG(json_str(mark, "kind", STR("made"))),
			 json_str(mark, "source_sha256", STR("a file that it does not name")).p);
}

static void damage_of(const void *report, struct reader_damage *out)
{
	const struct kineto_trace *t = report;
	*out = (struct reader_damage){.is_unverified = !t->is_verified};
	derived_of(t, out->derived, sizeof out->derived);
	snprintf(out->version, sizeof out->version, "trace schema %.*s", STR_ARG(t->schema));
	if (t->trust.source_problem.n)
		snprintf(out->text, sizeof out->text, "%.*s; %llu events before it are kept",
			 STR_ARG(t->trust.source_problem), (unsigned long long)t->trust.n_events);
	else if (t->trust.is_torn)
		snprintf(out->text, sizeof out->text,
			 "offset %llu: the trace is cut; %llu whole events before it are kept",
			 (unsigned long long)t->trust.torn_offset, (unsigned long long)t->trust.n_events);
	else if (t->trust.n_resyncs)
		snprintf(out->text, sizeof out->text, "%llu places could not be read, %llu bytes were passed over",
			 (unsigned long long)t->trust.n_resyncs, (unsigned long long)t->trust.lost_bytes);
}

static const struct sheet_column time_columns[] = {
	{"name", "name", "", SHEET_TEXT | SHEET_KEY},
	{"total_ns", "time", "ns", SHEET_SHARE},
	{"share_pct", "share", "%", 0},
	{"n", "n", "", 0},
	{"mean_ns", "mean", "ns", 0},
	{"p50_ns", "p50", "ns", 0},
	{"p99_ns", "p99", "ns", 0},
	{"min_ns", "min", "ns", SHEET_HIDDEN},
	{"max_ns", "max", "ns", SHEET_HIDDEN},
	{"calls", "calls", "", 0},
	{"cpu_ns", "CPU time", "ns", 0},
};
enum { TIME_COLUMNS = 9, OPERATOR_COLUMNS = 11 };

static void time_row(struct sheet *s, const struct kineto_row *r, bool with_calls)
{
	struct sheet_cell *c = sheet_row(s);
	sheet_put_text(&c[0], r->name);
	sheet_put(&c[1], (double)r->total_ns);
	sheet_put(&c[2], 100 * r->share);
	sheet_put(&c[3], (double)r->n);
	if (r->n) {
		sheet_put(&c[4], (double)r->total_ns / (double)r->n);
		sheet_put(&c[5], (double)r->p50_ns);
		sheet_put(&c[6], (double)r->p99_ns);
		sheet_put(&c[7], (double)r->min_ns);
		sheet_put(&c[8], (double)r->max_ns);
	}
	if (with_calls) {
		sheet_put(&c[9], (double)r->n_calls);
		sheet_put(&c[10], (double)r->calls_ns);
	}
}

static void time_sheet(struct sheet *s, struct arena *a, const char *name, const struct kineto_rows *rows,
		       bool with_calls)
{
	sheet_init(s, a, name, time_columns, with_calls ? OPERATOR_COLUMNS : TIME_COLUMNS);
	for (size_t i = 0; i < rows->n; i++)
		time_row(s, &rows->v[i], with_calls);
}

static const struct sheet_column call_columns[] = {
	{"name", "name", "", SHEET_TEXT | SHEET_KEY},
	{"total_ns", "time", "ns", SHEET_SHARE},
	{"n", "n", "", 0},
	{"max_ns", "max", "ns", 0},
	{"blocks", "blocks", "", SHEET_TEXT},
};

static void call_sheet(struct sheet *s, struct arena *a, const struct kineto_trace *t)
{
	sheet_init(s, a, "calls", call_columns, COUNT_OF(call_columns));
	s->title = "Runtime and driver calls";
	s->note = "blocks: the call waits for the device";
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct kineto_calls *call = &t->calls[i];
		if (call->is_operator)
			continue;
		struct sheet_cell *c = sheet_row(s);
		sheet_put_text(&c[0], t->names[call->name]);
		sheet_put(&c[1], (double)call->total_ns);
		sheet_put(&c[2], (double)call->n);
		sheet_put(&c[3], (double)call->max_ns);
		sheet_put_text(&c[4], call->is_sync ? STR("yes") : STR(""));
	}
}

static const struct sheet_column trust_columns[] = {
	{"what", "what", "", SHEET_TEXT},
	{"value", "value", "", 0},
};

/* Every count that is not zero, under its JSON name. */
static void trust_sheet(struct sheet *s, struct arena *a, const struct kineto_trace *t)
{
	struct json *j = kineto_trust_json(t, a);
	sheet_init(s, a, "trust", trust_columns, COUNT_OF(trust_columns));
	s->title = "Trust";
	s->note = arena_printf(a, "span: %.*s", STR_ARG(json_str(j, "span_is", STR(""))));
	for (size_t i = 0; i < j->n; i++) {
		const struct json *v = j->members[i].value;
		if (!json_is_number(v) || v->real == 0)
			continue;
		struct sheet_cell *c = sheet_row(s);
		sheet_put_text(&c[0], j->members[i].key);
		sheet_put(&c[1], v->real);
	}
}

static const char *empty_note(const struct kineto_trace *t)
{
	if (t->n_activities)
		return "shares are of the summed durations; overlapping streams sum to more than the covered time";
	if (t->n_launches || t->n_calls)
		return "no GPU activity in this trace: CPU only, or CUPTI gave nothing (no permission, another "
		       "profiler, a "
		       "driver that is too old, capture ended before the buffers came)";
	return "no GPU activity and no runtime call in this trace";
}

static struct sheet *sheets_of(void *report, const char *table, struct arena *a, size_t *n)
{
	const struct kineto_trace *t = report;
	struct sheet *s = ARENA_ARRAY(a, 9, struct sheet);
	struct kineto_rows rows;
	kineto_by_kernel(&rows, a, t);
	time_sheet(&s[0], a, "kernels", &rows, false);
	s[0].title = "Time by kernel";
	s[0].note = empty_note(t);
	kineto_by_category(&rows, a, t);
	time_sheet(&s[1], a, "categories", &rows, false);
	s[1].title = "Time by category";
	kineto_by_operator(&rows, a, t);
	time_sheet(&s[2], a, "operators", &rows, true);
	s[2].title = "GPU time by operator";
	s[2].note = arena_printf(a, "%llu activities name no operator of this trace", (unsigned long long)rows.n_left);
	kineto_by_step(&rows, a, t);
	time_sheet(&s[3], a, "steps", &rows, true);
	s[3].title = "GPU time by profiler step";
	s[3].note = rows.n ? "CPU time: duration of the step" : "no profiler step in this trace";
	call_sheet(&s[4], a, t);
	trust_sheet(&s[5], a, t);
	launches_sheet(&s[6], t, a);
	s[0].is_main = s[1].is_main = s[5].is_main = true;
	*n = 7;
	if (wants(table, "scopes"))
		kineto_scopes_sheet(&s[(*n)++], t, a);
	if (wants(table, "memory"))
		kineto_memory_sheet(&s[(*n)++], t, a);
	return s;
}

static void facts_of(void *report, struct fact_set *out, const struct reader_json_options *o)
{
	(void)o;
	char derived[128] = "";
	derived_of(report, derived, sizeof derived);
	out->origin.derived = str_from(arena_strdup(out->arena, derived));
	kineto_facts(out, report, out->arena);
}

static void json_of(void *report, struct json *out, const struct reader_json_options *o)
{
	(void)o;
	json_set(out, "trace", kineto_json(report, out->arena, JSON_ROWS));
}

static bool trace_of(void *report, struct trace *out, struct err *e)
{
	(void)e;
	kineto_to_trace(out, report);
	return true;
}

const struct reader reader_kineto = {
	.name = "kineto",
	.title = "PyTorch trace (Kineto JSON, also .gz, .zst, .zip)",
	.accepts = accepts,
	.open = open_report,
	.open_table = open_table,
	.close = close_report,
	.damage = damage_of,
	.sheets = sheets_of,
	.facts = facts_of,
	.json = json_of,
	.trace = trace_of,
};
