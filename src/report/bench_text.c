/* The short text of a bench record.
 * In: the record. Out: lines, a fact each.
 * Numbers are the record's, rounded for reading.
 * Never: computes a number that the record does not hold. */
#include "report/bench_text.h"

#include <math.h>

#include "base/file.h"
#include "report/text_chart.h"

enum { BENCH_LABEL = 11 }; /* columns before a fact */

static void put_series(struct term_table *t, struct arena *a, const struct json *kernel, const char *key,
		       const char *label)
{
	const struct json *s = json_path(kernel, arena_printf(a, "%s.summary", key));
	if (!s)
		return;
	double trimmed = json_f64(s, "trimmed_mean_ns", NAN);
	const struct json *interval = json_get(s, "interval");
	double half = json_f64(interval, "half_width_ns", NAN),
	       mhz = json_f64(json_get(kernel, key), "clock_mhz_median", NAN);
	term_table_cell(t, str_from(label));
	term_table_cell(t, str_from(term_time(a, trimmed)));
	term_table_cell(t, str_from(isfinite(half) ? arena_printf(a, "%.2f %%", 100 * half / trimmed) : "-"));
	term_table_cell(t, str_from(term_time(a, json_f64(s, "median_ns", NAN))));
	term_table_cell(t, str_from(term_time(a, json_f64(s, "min_ns", NAN))));
	term_table_cell(t, str_from(term_time(a, json_f64(s, "max_ns", NAN))));
	term_table_cell(t, str_from(arena_printf(a, "%lld", (long long)json_i64(s, "n", 0))));
	term_table_cell(t, str_from(isfinite(mhz) ? arena_printf(a, "%.0f", mhz) : "-"));
	term_table_end_row(t);
}

static void put_speedup(const struct json *v, struct buf *out)
{
	double x = json_f64(v, "value", NAN);
	struct str reason = json_str(v, "reason", STR(""));
	if (!isfinite(x))
		return;
	if (str_is(json_str(v, "method", STR("")), "placements"))
		buf_printf(out, "speed-up   reference / kernel = %.4g (%.4g to %.4g): %.*s, in turn, %lld placements\n",
			   x, json_f64(v, "lower", NAN), json_f64(v, "upper", NAN),
			   STR_ARG(json_str(v, "verdict", STR("?"))), (long long)json_i64(v, "n_placements", 0));
	else
		buf_printf(out, "ratio      reference / kernel = %.3g (same clock, not in turn%s%.*s)\n", x,
			   reason.n ? ": " : "", STR_ARG(reason));
}

static void put_limits(const struct json *limits, struct arena *a, struct buf *out)
{
	const struct json *roof = json_get(limits, "roofline"), *peaks = json_get(limits, "peaks");
	struct str bound = json_str(roof, "binding", STR(""));
	if (!bound.n)
		return;
	const struct json *peak = json_get(peaks, str_is(bound, "memory") ? "bytes" : "flop");
	buf_printf(out, "limits     %.1f %% of the %.*s ceiling of %s (%.*s)", json_f64(roof, "binding_pct", NAN),
		   STR_ARG(bound), term_rate(a, json_f64(peak, "per_s", NAN), str_is(bound, "memory") ? "B" : "FLOP"),
		   STR_ARG(json_str(peak, "from", STR("?"))));
	double x = json_f64(roof, "intensity_flop_per_byte", NAN), ridge = json_f64(roof, "ridge_flop_per_byte", NAN);
	if (isfinite(x))
		buf_printf(out, "; %.3g FLOP a byte", x);
	if (isfinite(x) && isfinite(ridge))
		buf_printf(out, ", the roofs meet at %.3g", ridge);
	buf_char(out, '\n');
	struct str floor = json_str(json_get(limits, "floor"), "word", STR(""));
	if (str_is(floor, "suspect"))
		buf_puts(out, "floor      suspect: less time than a ceiling gives for these bytes\n");
}

static void put_rates(const struct json *record, struct arena *a, struct buf *out)
{
	const struct json *k = json_get(record, "kernel");
	double gbps = json_f64(k, "bandwidth_gbps_rough", NAN), gflops = json_f64(k, "gflops", NAN);
	if (isfinite(gbps))
		buf_printf(out, "bandwidth  %s (%.*s)\n", term_rate(a, gbps * 1e9, "B"),
			   STR_ARG(json_str(k, "bytes_source", STR(""))));
	if (isfinite(gflops))
		buf_printf(out, "rate       %s\n", term_rate(a, gflops * 1e9, "FLOP"));
	const struct json *r = json_get(record, "reference");
	double ms = json_f64(r, "median_ms", NAN);
	if (isfinite(ms))
		buf_printf(out, "reference  %s median by %.*s%s\n", term_time(a, ms * 1e6),
			   STR_ARG(json_str(json_get(r, "timing"), "source", STR("?"))),
			   json_bool(json_get(r, "timing"), "cached", false) ? " (timed in an earlier run)" : "");
	put_limits(json_get(record, "limits"), a, out);
	put_speedup(json_get(record, "speedup_vs_reference"), out);
}

/* What Triton says of the variants that ran: warps, stages, registers, shared memory, and what an autotuner chose. */
static void put_compiled(const struct json *record, struct arena *a, struct buf *out)
{
	static const struct {
		const char *key, *unit;
	} numbers[] = {{"num_warps", "warps"},
		       {"num_stages", "stages"},
		       {"registers", "registers"},
		       {"spills", "spilled bytes"}};
	const struct json *list = json_path(record, "identity.compiled");
	for (size_t i = 0; list && i < list->n && i < 4; i++) {
		const struct json *x = list->items[i], *tuned = json_get(x, "autotune");
		const char *before = ": ";
		char name[STR_SHOWN];
		buf_printf(out, "compiled   %s",
			   str_shown(name, json_str(x, "kernel", json_str(x, "function", STR("?")))));
		for (size_t k = 0; k < COUNT_OF(numbers); k++) {
			int64_t n = json_i64(x, numbers[k].key, -1);
			if (n < 0)
				continue;
			buf_printf(out, "%s%lld %s", before, (long long)n, numbers[k].unit);
			before = ", ";
		}
		if (json_i64(x, "shared_bytes", -1) >= 0)
			buf_printf(out, "%s%s shared", before, term_bytes(a, json_f64(x, "shared_bytes", 0)));
		if (tuned)
			buf_printf(out, "; chosen of %lld configurations", (long long)json_i64(tuned, "n_configs", 0));
		if (isfinite(json_f64(tuned, "seconds", NAN)))
			buf_printf(out, " in %.2g s, before anything was timed", json_f64(tuned, "seconds", 0));
		buf_puts(out, "\n");
	}
}

static void put_identity(const struct json *record, struct arena *a, struct buf *out)
{
	const struct json *i = json_get(record, "identity");
	if (!str_is(json_str(i, "state", STR("")), "recorded"))
		return;
	buf_printf(out, "call       %lld launch(es), %lld stream(s), %lld copies, %lld memsets%s%s; host %s\n",
		   (long long)json_i64(i, "n_launches", 0), (long long)json_i64(i, "n_streams", 0),
		   (long long)json_i64(i, "n_copy", 0), (long long)json_i64(i, "n_memset", 0),
		   json_bool(i, "synchronizes_inside", false) ? ", synchronises inside" : "",
		   json_bool(i, "allocates_inside", false) ? ", allocates inside" : "",
		   term_time(a, json_f64(i, "host_ns", NAN)));
}

static void put_sanitizer(const struct json *record, struct buf *out)
{
	const struct json *tools = json_path(record, "sanitizer.tools");
	for (size_t i = 0; tools && i < tools->n; i++)
		buf_printf(out, "sanitizer  %.*s\n", STR_ARG(json_str(tools->items[i], "text", STR("?"))));
}

static void put_correctness(const struct json *record, const struct term *term, struct buf *out)
{
	const struct json *c = json_get(record, "correctness"), *op = json_get(record, "operator");
	const struct json *cases = json_get(op, "cases");
	struct str word = json_str(json_get(record, "verdict"), "word", STR(""));
	if (str_is(word, "passed")) {
		buf_puts(out, "correct    ");
		term_styled(term, out, TERM_GOOD, "passed");
		buf_printf(out, ": %zu case(s) on %lld data sets; max abs error %.3g, max rel error %.3g\n",
			   cases ? cases->n : 0, (long long)json_i64(c, "n_data_sets", 0),
			   json_f64(c, "max_abs_error", NAN), json_f64(c, "max_rel_error", NAN));
	} else if (str_is(word, "unchecked")) {
		term_styled(term, out, TERM_WARN, "unchecked");
		buf_puts(out, "  no reference was given: nothing is claimed about results\n");
	}
}

/* What the function check() of the reference's module says beside the comparison. */
static void put_check(const struct json *record, struct buf *out)
{
	const struct json *c = json_path(record, "correctness.check");
	struct str state = json_str(c, "state", STR("")), text = json_str(c, "text", STR(""));
	if (str_is(state, "agrees"))
		buf_printf(out, "check      the problem's own check says the same of %lld data sets\n",
			   (long long)json_i64(c, "n_asked", 0));
	else if (str_is(state, "failed"))
		buf_printf(out, "check      the problem's own check could not be asked: %.*s\n", STR_ARG(text));
	else if (state.n)
		buf_printf(out, "check      the problem's own check: %.*s\n", STR_ARG(text));
	if (json_i64(c, "n_left_out", 0) > 0)
		buf_printf(out, "check      it was not asked about %lld more data sets: too large to keep\n",
			   (long long)json_i64(c, "n_left_out", 0));
}

static void put_bound(const struct json *record, struct arena *a, struct buf *out)
{
	const struct json *checks = json_path(record, "integrity.checks");
	for (size_t i = 0; checks && i < checks->n; i++) {
		const struct json *e = json_get(checks->items[i], "evidence");
		double bound = json_f64(e, "bound_ns", NAN);
		if (str_is(json_str(checks->items[i], "name", STR("")), "sealed_batch") && isfinite(bound))
			buf_printf(out,
				   "bound      %s a call at most by the parent's clock: %lld calls on fresh data\n",
				   term_time(a, bound), (long long)json_i64(e, "n_calls", 0));
	}
}

/* How the answer came about: the checks by state, each flag, and the time that no call exceeds by a clock that is not the
 * candidate's. */
static void put_integrity(const struct json *record, struct arena *a, struct buf *out)
{
	const struct json *g = json_get(record, "integrity"), *checks = json_get(g, "checks"),
			  *flags = json_get(g, "flags");
	const char *open = "";
	size_t n_passed = 0;
	for (size_t i = 0; checks && i < checks->n; i++) {
		struct str state = json_str(checks->items[i], "state", STR("")),
			   name = json_str(checks->items[i], "name", STR("?"));
		n_passed += str_is(state, "passed");
		if (str_is(state, "unavailable") || str_is(state, "not_applicable"))
			open = arena_printf(a, "%s%s%.*s", open, *open ? ", " : "", STR_ARG(name));
	}
	if (!checks)
		buf_puts(out, "integrity  not looked at: --skip-integrity\n");
	else if (json_bool(g, "accepted", false))
		buf_printf(out, "integrity  %.*s: %zu of %zu checks passed%s%s\n",
			   STR_ARG(json_str(g, "verdict", STR("?"))), n_passed, checks->n,
			   *open ? "; not looked at: " : "", open);
	for (size_t i = 0; flags && i < flags->n; i++)
		buf_printf(out, "flag       %.*s: %.*s\n", STR_ARG(json_str(flags->items[i], "word", STR("?"))),
			   STR_ARG(json_str(flags->items[i], "text", STR(""))));
	put_bound(record, a, out);
}

static void put_head(const struct json *record, const struct term *term, struct arena *a, struct buf *out)
{
	const struct json *verdict = json_get(record, "verdict"), *op = json_get(record, "operator");
	const struct json *notes = json_get(op, "notes");
	struct str path = json_str(json_get(op, "kernel"), "path", STR("?")),
		   word = json_str(verdict, "word", STR("?"));
	buf_printf(out, "%s on %.*s, backend %.*s\n", path_base(arena_strndup(a, path.p, path.n)),
		   STR_ARG(json_str(json_get(record, "device"), "name", STR("?"))),
		   STR_ARG(json_str(record, "backend", STR("?"))));
	for (size_t i = 0; notes && i < notes->n; i++)
		buf_printf(out, "note       %.*s\n", STR_ARG(notes->items[i]->text));
	if (str_is(word, "passed") || str_is(word, "unchecked"))
		return;
	term_styled(term, out, TERM_BAD, arena_strndup(a, word.p, word.n));
	buf_printf(out, ": %.*s\n", STR_ARG(json_str(verdict, "meaning", STR(""))));
	struct str text = json_str(verdict, "text", STR(""));
	if (text.n)
		buf_printf(out, "           %.*s\n", STR_ARG(text));
}

static void put_all(const struct json *record, const struct term *term, struct arena *a, struct buf *out)
{
	const struct json *k = json_get(record, "kernel");
	put_head(record, term, a, out);
	put_correctness(record, term, out);
	put_check(record, out);
	if (json_get(k, "median_ms")) {
		struct term_table *t = term_table_new(a, "cache|>trimmed mean|>+- 95 %|>median|>min|>max|>n|>MHz");
		put_series(t, a, k, "cold", "cold");
		put_series(t, a, k, "warm", "warm");
		put_series(t, a, k, "events", "cold, events");
		term_table_write(t, term, out);
		text_chart_bench(record, term, a, out);
		buf_printf(out, "time by    %.*s\n", STR_ARG(json_str(k, "source", STR("?"))));
		put_rates(record, a, out);
		put_identity(record, a, out);
		put_compiled(record, a, out);
	}
	put_integrity(record, a, out);
	put_sanitizer(record, out);
	struct str why = json_str(json_get(record, "performance"), "reason", STR(""));
	if (why.n)
		buf_printf(out, "others     %.*s: the times are inconclusive\n", STR_ARG(why));
	buf_printf(out, "command    %.*s\n", STR_ARG(json_str(record, "command", STR("?"))));
	buf_printf(out, "record     %.*s\n", STR_ARG(json_str(record, "id", STR("?"))));
}

void bench_text(const struct json *record, const struct term *term, struct arena *a, struct buf *out)
{
	struct buf lines;
	buf_init(&lines);
	put_all(record, term, a, &lines);
	term_lines(out, term, buf_view(&lines), BENCH_LABEL);
	buf_release(&lines);
}
