/* The run page's sections on time: versions, roofline, parts.
 * In: the records of a run. Out: sections.
 * Comparisons are paired; a ratio of medians is called that.
 * Never: gives a rejected version a time. */
#include <math.h>

#include "report/chart.h"
#include "report/run_inside.h"

static bool best_is(const struct page *p, size_t i)
{
	return (int64_t)i == p->best;
}

static void put_version_row(const struct page *p, size_t i)
{
	static const char *const times[] = {"median_ms", "average_ms", "min_ms", "max_ms"};
	const struct json *it = p->versions->items[i];
	double base = json_f64(p->versions->items[0], "median_ms", NAN), now = json_f64(it, "median_ms", NAN);
	html_row(p->out);
	html_cell(p->out,
		  str_from(best_is(p, i) && p->n > 1 ? arena_printf(p->arena, "v%zu (best)", i) : page_label(p, i)),
		  arena_printf(p->arena, "%zu", i));
	html_cell(p->out, json_str(it, "verdict", STR("?")), NULL);
	for (size_t k = 0; k < COUNT_OF(times); k++) {
		double ms = json_f64(it, times[k], NAN);
		html_number(p->out, page_ms(p, ms), ms);
	}
	html_number(p->out, isfinite(base / now) ? arena_printf(p->arena, "%.3g", base / now) : "-", base / now);
	html_cell(p->out, json_str(json_get(it, "strategy"), "outcome", STR("-")), NULL);
	html_cell(p->out, json_str(it, "source", STR("-")), NULL);
	struct str why = json_str(it, "verdict_text", STR(""));
	html_cell(p->out, why.n ? why : json_str(json_get(it, "strategy"), "why", STR("")), NULL);
	html_row_end(p->out);
}

/* A step on the chart of speed-ups from a paired comparison. */
static struct chart_step step_of(const struct page *p, size_t i, const struct json *c)
{
	const char *verdict = page_text(p, c, "verdict", "not compared");
	int64_t baseline = json_i64(c, "baseline", -1);
	double speedup = json_f64(c, "speedup", NAN);
	if (!isfinite(speedup) || baseline < 0)
		return (struct chart_step){.label = page_label(p, i), .ratio = NAN, .word = verdict};
	return (struct chart_step){.label = arena_printf(p->arena, "v%zu against v%lld", i, (long long)baseline),
				   .ratio = speedup,
				   .low = 1 + json_f64(c, "lower_pct", NAN) / 100,
				   .high = 1 + json_f64(c, "upper_pct", NAN) / 100,
				   .word = verdict};
}

static void put_speedups(const struct page *p)
{
	const struct json *confirmed = json_get(p->manifest, "confirmations");
	size_t n = 0, n_confirmed = confirmed && confirmed->type == JSON_ARRAY ? confirmed->n : 0;
	struct chart_step *s = ARENA_ARRAY(p->arena, p->n + n_confirmed + 1, struct chart_step);
	for (size_t i = 1; i < p->n; i++) {
		const struct json *it = p->versions->items[i];
		s[n] = step_of(p, i, json_get(it, "comparison"));
		if (isnan(s[n].ratio) && !str_is(json_str(it, "verdict", STR("")), "passed"))
			s[n].word = page_text(p, it, "verdict", "not compared");
		n++;
	}
	for (size_t i = 0; i < n_confirmed; i++) {
		const struct json *c = confirmed->items[i];
		int64_t which = json_i64(c, "candidate", 0);
		s[n] = step_of(p, which > 0 ? (size_t)which : 0, c);
		s[n].word = arena_printf(p->arena, "%s", s[n].word);
		if (isfinite(s[n].ratio))
			s[n].label = arena_printf(p->arena, "%s, again", s[n].label);
		n++;
	}
	if (n)
		chart_speedups(p->out, p->arena, s, n);
}

void page_versions(const struct page *p)
{
	struct chart_version *v = ARENA_ARRAY(p->arena, p->n + 1, struct chart_version);
	for (size_t i = 0; i < p->n; i++) {
		const struct json *s = json_get(page_primary(p->bench[i]), "summary");
		double middle = json_f64(s, "trimmed_mean_ns", NAN);
		v[i] = (struct chart_version){.label = page_label(p, i),
					      .middle = middle > 0 ? middle : NAN,
					      .low = json_f64(s, "min_ns", middle),
					      .high = json_f64(s, "max_ns", middle),
					      .half = json_f64(json_get(s, "interval"), "half_width_ns", 0),
					      .word = page_text(p, p->versions->items[i], "verdict", "?"),
					      .is_best = best_is(p, i)};
	}
	put_speedups(p);
	chart_versions(p->out, p->arena, v, p->n);
	html_table(p->out, "All versions; over v0: ratio of medians, not paired",
		   ">version|verdict|>median|>average|>min|>max|>over v0|outcome|source|why");
	for (size_t i = 0; i < p->n; i++)
		put_version_row(p, i);
	html_table_end(p->out);
	page_configurations(p);
}

static double peak_of(const struct page *p, const struct json *peak, const char **from)
{
	*from = page_text(p, peak, "from", "?");
	return json_f64(peak, "per_s", NAN);
}

void page_limits(const struct page *p)
{
	struct chart_point *v = ARENA_ARRAY(p->arena, p->n + 1, struct chart_point);
	struct chart_roof r = {.points = v, .bytes_per_s = NAN, .flop_per_s = NAN};
	for (size_t i = 0; i < p->n; i++) {
		const struct json *limits = json_get(p->bench[i], "limits"), *roof = json_get(limits, "roofline");
		const struct json *peaks = json_get(limits, "peaks");
		struct chart_point x = {page_label(p, i), json_f64(roof, "intensity_flop_per_byte", NAN),
					json_f64(roof, "flop_per_s", NAN), best_is(p, i)};
		if (!(x.intensity > 0) || !(x.rate > 0))
			continue;
		v[r.n++] = x;
		if (isnan(r.bytes_per_s))
			r.bytes_per_s = peak_of(p, json_get(peaks, "bytes"), &r.bytes_from);
		if (isnan(r.flop_per_s))
			r.flop_per_s = peak_of(p, json_get(peaks, "flop"), &r.flop_from);
	}
	if (r.n)
		chart_roofline(p->out, p->arena, &r);
	else
		page_note(p, "No version has both a time and declared operations and bytes.");
}

enum { N_CALL_PARTS = 3, N_COST_PARTS = 7 };

/* What the device did in one call: busy, idle between activities, and the host's time before and after. */
static void put_call_parts(const struct page *p)
{
	static const char *const names[N_CALL_PARTS] = {"device busy", "gaps between", "host outside"};
	struct chart_bar *bars = ARENA_ARRAY(p->arena, p->n + 1, struct chart_bar);
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct json *x = json_get(p->bench[i], "identity");
		double span = json_f64(x, "span_ns", NAN), host = json_f64(x, "host_ns", NAN);
		if (!str_is(json_str(x, "state", STR("")), "recorded") || isnan(span))
			continue;
		double *parts = ARENA_ARRAY(p->arena, N_CALL_PARTS, double);
		parts[0] = json_f64(x, "busy_ns", 0);
		parts[1] = json_f64(x, "gaps_ns", 0);
		parts[2] = host > span ? host - span : 0;
		bars[n++] = (struct chart_bar){page_label(p, i), parts};
	}
	if (n)
		chart_bars(
			p->out, p->arena,
			&(struct chart_bars){"call", "one call by what the device and the host did",
					     "One call under the activity record: the device is busy, idle between two "
					     "activities, or the host is at work beyond the device's span. A claim of "
					     "the worker's process; times above are taken without it.",
					     names, N_CALL_PARTS, bars, n, false});
	else
		page_note(p, "No activity record of a call: the CPU has none.");
}

static void put_timeline(const struct page *p)
{
	size_t i = p->best >= 0 ? (size_t)p->best : 0;
	const struct json *list = p->n ? json_path(p->bench[i], "identity.activities") : NULL;
	if (!list || list->type != JSON_ARRAY || !list->n)
		return;
	struct chart_activity *x = ARENA_ARRAY(p->arena, list->n, struct chart_activity);
	for (size_t k = 0; k < list->n; k++)
		x[k] = (struct chart_activity){
			page_text(p, list->items[k], "name", "?"), page_text(p, list->items[k], "kind", "?"),
			json_f64(list->items[k], "start_ns", 0), json_f64(list->items[k], "duration_ns", 0),
			json_i64(list->items[k], "stream", 0)};
	page_note(p, arena_printf(p->arena, "Timeline of one call of v%zu, %zu activities.", i, list->n));
	chart_timeline(
		p->out, p->arena, x, list->n,
		"One call of the version under the activity record, one lane a stream; zero is the start of its first "
		"activity. The record comes from the worker's process: it is a claim.");
}

/* What assay itself spent on each version. */
static void put_costs(const struct page *p)
{
	static const char *const names[N_COST_PARTS] = {"build",      "correctness", "timing", "integrity",
							"comparison", "profiling",   "other"};
	struct chart_bar *bars = ARENA_ARRAY(p->arena, p->n + 1, struct chart_bar);
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct json *s = json_get(p->versions->items[i], "seconds"), *b = json_get(s, "bench_phases");
		double total = json_f64(s, "total", NAN);
		if (isnan(total))
			continue;
		double *parts = ARENA_ARRAY(p->arena, N_COST_PARTS, double), sum = 0;
		parts[0] = json_f64(b, "build", 0);
		parts[1] = json_f64(b, "correctness", 0) + json_f64(b, "reference", 0);
		parts[2] = json_f64(b, "cold", 0) + json_f64(b, "warm", 0) + json_f64(b, "events", 0);
		parts[3] = json_f64(b, "integrity", 0);
		parts[4] = json_f64(s, "compare", 0);
		parts[5] = json_f64(s, "profile", 0);
		for (size_t k = 0; k < 6; k++) {
			sum += parts[k];
			parts[k] *= 1e9;
		}
		parts[6] = fmax(0, total - sum) * 1e9;
		bars[n++] = (struct chart_bar){page_label(p, i), parts};
	}
	chart_bars(p->out, p->arena,
		   &(struct chart_bars){"cost", "what each version's evaluation took",
					"What the evaluation of each version took, by step.", names, N_COST_PARTS, bars,
					n, false});
}

void page_parts(const struct page *p)
{
	put_call_parts(p);
	put_timeline(p);
	put_costs(p);
}
