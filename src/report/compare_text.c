/* The short text of a comparison.
 * In: the record. Out: a line a side, then what the verdicts rest on.
 * Numbers are the record's, rounded for reading.
 * Never: computes a number that the record does not hold. */
#include "report/compare_text.h"

#include <math.h>

#include "base/file.h"
#include "report/text_chart.h"

enum { COMPARE_LABEL = 11 }; /* columns before a fact */

static const char *text_of(struct arena *a, const struct json *j, const char *key)
{
	struct str s = json_str(j, key, STR("?"));
	return arena_strndup(a, s.p, s.n);
}

static const char *pct(struct arena *a, double v)
{
	return isfinite(v) ? arena_printf(a, "%+.2f %%", v) : "-";
}

/* "-0.12 .. +0.30 %" */
static const char *range(struct arena *a, const struct json *effect)
{
	double lower = json_f64(effect, "lower_pct", NAN), upper = json_f64(effect, "upper_pct", NAN);
	return isfinite(lower) ? arena_printf(a, "%+.2f .. %+.2f %%", lower, upper) : "-";
}

static enum term_style style_of(const char *word)
{
	static const char *const good[] = {"faster", "passed"}, *const open[] = {"equivalent", "inconclusive",
										 "unchecked"};
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		if (strcmp(word, good[i]) == 0)
			return TERM_GOOD;
	}
	for (size_t i = 0; i < COUNT_OF(open); i++) {
		if (strcmp(word, open[i]) == 0)
			return TERM_WARN;
	}
	return TERM_BAD;
}

static void put_verdict(struct term_table *t, const struct term *term, const char *word)
{
	term_table_styled(t, term, style_of(word), str_from(word));
}

static void put_side(struct term_table *t, struct arena *a, const struct term *term, const struct json *side)
{
	const struct json *effect = json_get(side, "effect"), *flags = json_get(side, "flags");
	double ns = json_f64(side, "time_ns", NAN);
	const char *name = path_base(text_of(a, side, "path"));
	if (flags && flags->type == JSON_STRING)
		name = arena_printf(a, "%s::%.*s", name, STR_ARG(flags->text));
	term_table_cell(t, str_from(text_of(a, side, "label")));
	term_table_cell(t, str_from(name));
	term_table_cell(t, str_from(isfinite(ns) ? term_time(a, ns) : "-"));
	term_table_cell(t, str_from(pct(a, json_f64(effect, "effect_pct", NAN))));
	term_table_cell(t, str_from(range(a, effect)));
	put_verdict(t, term, text_of(a, json_get(side, "verdict"), "word"));
	term_table_end_row(t);
}

static void put_cases(const struct json *side, struct arena *a, const struct term *term, struct buf *out)
{
	const struct json *cases = json_path(side, "effect.cases");
	if (!cases || cases->n < 2)
		return;
	struct term_table *t = term_table_new(
		a, arena_printf(a, "%s, case|>A takes longer by|>95 %%|verdict", text_of(a, side, "label")));
	for (size_t i = 0; i < cases->n; i++) {
		const struct json *c = cases->items[i];
		term_table_cell(t, str_from(text_of(a, c, "name")));
		term_table_cell(t, str_from(pct(a, json_f64(c, "effect_pct", NAN))));
		term_table_cell(t, str_from(range(a, c)));
		put_verdict(t, term, text_of(a, c, "verdict"));
		term_table_end_row(t);
	}
	term_table_write(t, term, out);
}

static void put_reasons(const struct json *sides, struct arena *a, struct buf *out)
{
	for (size_t i = 0; sides && i < sides->n; i++) {
		const struct json *v = json_get(sides->items[i], "verdict");
		struct str text = json_str(v, "text", STR(""));
		if (text.n)
			buf_printf(out, "%s          %s: %.*s\n", text_of(a, sides->items[i], "label"),
				   text_of(a, v, "word"), STR_ARG(text));
	}
}

static void put_resolution(const struct json *record, struct arena *a, struct buf *out)
{
	const struct json *r = json_get(record, "resolution"), *budgets = json_get(r, "budgets");
	double now = json_f64(r, "this_run_pct", NAN);
	if (!isfinite(now))
		return;
	buf_printf(out, "resolution +-%.2f %% at the plan's last look", now);
	for (size_t i = 0; budgets && i < budgets->n; i++) {
		double x = json_f64(budgets->items[i], "resolution_pct", NAN);
		if (isfinite(x))
			buf_printf(out, "; +-%.2f %% in %s", x,
				   term_time(a, 1e9 * json_f64(budgets->items[i], "budget_s", NAN)));
	}
	buf_char(out, '\n');
}

static void put_telemetry(const struct json *record, struct buf *out)
{
	const struct json *t = json_get(record, "telemetry"), *sm = json_get(t, "sm_mhz");
	const struct json *problem = json_get(t, "problem");
	if (problem && problem->type == JSON_STRING)
		buf_printf(out, "others     %.*s\n", STR_ARG(problem->text));
	if (sm && sm->type == JSON_OBJECT)
		buf_printf(out, "device     SM clock %.0f to %.0f MHz, %.0f to %.0f W, at most %.0f C\n",
			   json_f64(sm, "min", NAN), json_f64(sm, "max", NAN),
			   json_f64(json_get(t, "power_w"), "min", NAN), json_f64(json_get(t, "power_w"), "max", NAN),
			   json_f64(json_get(t, "temperature_c"), "max", NAN));
}

static void put_all(const struct json *record, const struct term *term, struct arena *a, struct buf *out)
{
	const struct json *sides = json_get(record, "sides"), *run = json_get(record, "run");
	buf_printf(out, "on %s, backend %s, %s cache, time by %s\n", text_of(a, json_get(record, "device"), "name"),
		   text_of(a, record, "backend"), text_of(a, record, "cache"), text_of(a, record, "source"));
	struct term_table *t = term_table_new(a, "side|kernel|>time|>A takes longer by|>95 %|verdict");
	for (size_t i = 0; sides && i < sides->n; i++)
		put_side(t, a, term, sides->items[i]);
	term_table_write(t, term, out);
	for (size_t i = 1; sides && i < sides->n; i++)
		put_cases(sides->items[i], a, term, out);
	text_chart_compare(record, term, a, out);
	put_reasons(sides, a, out);
	if (json_bool(record, "same_binary", false))
		buf_puts(out, "same       A and B are the same binary: what differs is the measurement\n");
	buf_printf(out, "effect     least that counts: %.3g %%\n", json_f64(record, "min_effect_pct", NAN));
	put_resolution(record, a, out);
	if (run && run->type == JSON_OBJECT)
		buf_printf(
			out, "placements %lld of %lld blocks, %lld timed calls; %s, %.2f s around the calls of each\n",
			(long long)json_i64(run, "n_placements", 0), (long long)json_i64(run, "n_blocks", 0),
			(long long)json_i64(run, "n_timed_calls", 0), term_time(a, 1e9 * json_f64(run, "total_s", NAN)),
			json_f64(run, "overhead_s_per_placement", NAN));
	put_telemetry(record, out);
	buf_printf(out, "command    %s\n", text_of(a, record, "command"));
	buf_printf(out, "record     %s\n", text_of(a, record, "id"));
}

void compare_text(const struct json *record, const struct term *term, struct arena *a, struct buf *out)
{
	struct buf lines;
	buf_init(&lines);
	put_all(record, term, a, &lines);
	term_lines(out, term, buf_view(&lines), COMPARE_LABEL);
	buf_release(&lines);
}
