/* A run as it is now, in text.
 * In: the document of the run. Out: one screen, or lines of what is new.
 * Numbers are the document's, rounded for reading.
 * Never: asks whether anything is true. */
#include "report/watch_text.h"

#include <math.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/term_plot.h"

enum { WATCH_LABEL = 11, SPARK_WIDTH = 60 };

static const struct json *list_of(const struct json *j, const char *key)
{
	const struct json *list = json_get(j, key);
	return list && list->type == JSON_ARRAY ? list : NULL;
}

/* "v2 of 5: bench v2.c: cold"; without figures, so that it changes with the phase only. */
static void put_phase(struct buf *out, const struct json *live)
{
	const struct json *levels = list_of(live, "levels");
	size_t n = levels ? levels->n : 0;
	for (size_t i = n > 1 ? 1 : 0; i < n; i++) /* the first one is "optimize" */
		buf_printf(out, "%s%.*s", i > 1 ? ": " : "", STR_ARG(json_str(levels->items[i], "what", STR("?"))));
	struct str phase = json_str(json_at(levels, n ? n - 1 : 0), "phase", STR(""));
	if (phase.n)
		buf_printf(out, "%s%.*s", out->n ? ": " : "", STR_ARG(phase));
}

static void put_seconds(struct buf *out, const char *before, double seconds, const char *after)
{
	if (!isfinite(seconds))
		return;
	buf_puts(out, before);
	progress_seconds(out, seconds);
	buf_puts(out, after);
}

static void put_now(const struct json *live, struct arena *a, struct buf *out)
{
	const struct json *levels = list_of(live, "levels"),
			  *last = json_at(levels, levels && levels->n ? levels->n - 1 : 0);
	struct buf phase;
	buf_init(&phase);
	put_phase(&phase, live);
	buf_printf(out, "now        %s", phase.n ? phase.p : "between two versions");
	buf_release(&phase);
	int64_t done = json_i64(last, "done", -1), most = json_i64(last, "most", 0);
	if (done >= 0 && most > 0)
		buf_printf(out, ", %lld of %lld", (long long)done, (long long)most);
	else if (done >= 0)
		buf_printf(out, ", %lld", (long long)done);
	if (done >= 0)
		buf_printf(out, " %.*s", STR_ARG(json_str(last, "unit", STR(""))));
	put_seconds(out, ", ", json_f64(last, "phase_seconds", NAN), "");
	put_seconds(out, " of ", json_f64(last, "phase_most_seconds", NAN), "");
	put_seconds(out, "; about ", json_f64(live, "left_seconds", NAN), " left");
	buf_char(out, '\n');
	double ns = json_f64(live, "time_ns", NAN), mhz = json_f64(live, "clock_mhz", NAN);
	if (isfinite(ns))
		buf_printf(out, "last call  %s", term_time(a, ns));
	if (isfinite(ns) && isfinite(mhz))
		buf_printf(out, " at %.0f MHz", mhz);
	if (isfinite(ns))
		buf_char(out, '\n');
}

static void put_state(const struct json *j, const struct term *term, struct arena *a, struct buf *out)
{
	struct str state = json_str(j, "state", STR("?")), source = json_str(j, "source_file", STR(""));
	const struct json *ended = json_get(j, "ended");
	bool is_gone = str_is(state, "gone"), is_running = str_is(state, "running");
	long long pid = (long long)json_i64(json_get(j, "now"), "pid", 0);
	buf_printf(out, "run        %.*s\n", STR_ARG(json_str(j, "run_dir", STR("?"))));
	if (source.n)
		buf_printf(out, "kernel     %s, backend %.*s, v0 to v%lld\n",
			   path_base(arena_strndup(a, source.p, source.n)), STR_ARG(json_str(j, "backend", STR("?"))),
			   (long long)json_i64(j, "max_iterations", 0));
	buf_puts(out, "state      ");
	term_styled(term, out,
		    is_gone      ? TERM_BAD
		    : is_running ? TERM_GOOD
				 : TERM_BOLD,
		    arena_strndup(a, state.p, state.n));
	if (is_running)
		buf_printf(out, ", process %lld", pid);
	else if (is_gone && pid)
		buf_printf(out, ": process %lld ended in the middle of it", pid);
	else if (is_gone)
		buf_puts(out, ": its process ended in the middle of a version");
	else if (str_is(state, "interrupted"))
		buf_printf(out, " at v%lld", (long long)json_i64(json_get(j, "interrupted"), "iteration", 0));
	else if (str_is(state, "waiting"))
		buf_puts(out, ": no process works in it");
	else
		buf_printf(out, ": %.*s, %.*s", STR_ARG(json_str(ended, "reason", STR("?"))),
			   STR_ARG(json_str(ended, "evidence", STR(""))));
	put_seconds(out, "; ", json_f64(j, "seconds", NAN), is_running ? " so far" : " in all");
	buf_char(out, '\n');
}

/* "+88.4 % (+77.7 to +99.7)": gain so much longer. */
static const char *pair_text(struct arena *a, const struct json *v)
{
	const struct json *p = json_get(v, "comparison");
	double effect = json_f64(p, "effect_pct", NAN);
	if (!isfinite(effect))
		return "-";
	return arena_printf(a, "%+.1f %% (%+.1f to %+.1f)", effect, json_f64(p, "lower_pct", NAN),
			    json_f64(p, "upper_pct", NAN));
}

static const char *tags_text(struct arena *a, const struct json *v)
{
	const struct json *tags = list_of(v, "tags");
	const char *text = "";
	for (size_t i = 0; tags && i < tags->n; i++)
		text = arena_printf(a, "%s%s%.*s", text, i ? ", " : "", STR_ARG(tags->items[i]->text));
	return text;
}

static enum term_style style_of(struct str outcome)
{
	return str_is(outcome, "positive") ? TERM_GOOD : str_is(outcome, "rejected") ? TERM_BAD : TERM_WARN;
}

/* "v3", "v3 (TILE=8)": of a version with a set, the configuration that stands for it */
static const char *label_of(struct arena *a, const struct json *v)
{
	struct str set = json_str(v, "configuration", STR(""));
	return arena_printf(a, "v%lld%s%.*s%s", (long long)json_i64(v, "iteration", 0), set.n ? " (" : "", STR_ARG(set),
			    set.n ? ")" : "");
}

static void put_version(struct term_table *t, const struct json *v, const struct term *term, struct arena *a)
{
	struct str outcome = json_str(v, "outcome", STR("?")), word = json_str(v, "verdict", STR("?"));
	double ms = json_f64(v, "median_ms", NAN);
	term_table_cell(t, str_from(label_of(a, v)));
	term_table_cell(t, str_from(isfinite(ms) ? term_time(a, 1e6 * ms) : "-"));
	term_table_cell(t, str_from(pair_text(a, v)));
	term_table_cell(t, word);
	term_table_styled(t, term, style_of(outcome), outcome);
	term_table_cell(t, str_from(tags_text(a, v)));
	term_table_end_row(t);
}

static void put_versions(const struct json *j, const struct term *term, size_t most, struct buf *out)
{
	const struct json *list = list_of(j, "versions");
	struct arena a;
	size_t n = list ? list->n : 0, first = most && n > most ? n - most : 0;
	if (!n)
		return;
	arena_init(&a);
	struct term_table *t = term_table_new(&a, "version|>median|>gain|verdict|outcome|tags");
	for (size_t i = first; i < n; i++)
		put_version(t, list->items[i], term, &a);
	if (first)
		buf_printf(out, "earlier    %zu versions\n", first);
	struct term plain = *term;
	plain.is_terminal = false; /* a row is one line: long lists of tags are cut */
	term_table_write(t, &plain, out);
	arena_release(&a);
}

/* How many times as fast as v0 each version was, by medians. */
static void put_spark(const struct json *j, const struct term *term, struct arena *a, struct buf *out)
{
	const struct json *list = list_of(j, "versions");
	size_t n = list ? list->n : 0, n_known = 0;
	double first = n ? json_f64(list->items[0], "median_ms", NAN) : NAN, most = 0,
	       *x = ARENA_ARRAY(a, n + 1, double);
	for (size_t i = 0; i < n; i++) {
		x[i] = first / json_f64(list->items[i], "median_ms", NAN);
		n_known += isfinite(x[i]) ? 1 : 0;
		most = isfinite(x[i]) && x[i] > most ? x[i] : most;
	}
	if (n_known < 2 || term->is_quiet)
		return;
	buf_puts(out, "speed      ");
	term_spark(term, out, x, n, term->width - WATCH_LABEL < SPARK_WIDTH ? term->width - WATCH_LABEL : SPARK_WIDTH);
	buf_printf(out, " v0's median over each version's, at most %.3g\n", most);
}

static void put_best(const struct json *j, struct arena *a, struct buf *out)
{
	const struct json *best = json_get(j, "best"), *sure = json_get(best, "confirmation");
	if (!best || best->type != JSON_OBJECT)
		return;
	buf_printf(out, "best       %s, median %s", label_of(a, best),
		   term_time(a, 1e6 * json_f64(best, "median_ms", NAN)));
	if (json_bool(best, "measured_only", false))
		buf_puts(out, ", by time alone: it has no reports");
	double x = json_f64(sure, "speedup", NAN);
	if (isfinite(x))
		buf_printf(out, ", v0 takes %.3g times as long: %.*s", x, STR_ARG(json_str(sure, "verdict", STR("?"))));
	else if (json_i64(best, "iteration", 0) > 0)
		buf_puts(out, ", not confirmed against v0 yet");
	buf_char(out, '\n');
}

static void put_rest(const struct json *j, struct buf *out)
{
	struct str next = json_str(j, "next_path", STR("")), resume = json_str(j, "resume", STR(""));
	if (next.n)
		buf_printf(out, "next       %.*s\n", STR_ARG(next));
	if (resume.n)
		buf_printf(out, "goes on by %.*s\n", STR_ARG(resume));
}

static size_t count_lines(const struct buf *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++)
		n += b->p[i] == '\n';
	return n;
}

static void put_cut(struct buf *out, struct str text, size_t width)
{
	struct str line;
	while (text.n && str_split(&text, '\n', &line)) {
		size_t n = term_fit(line, width);
		buf_add(out, line.p, n);
		if (n < line.n && str_find(line, STR("\033[")) != SIZE_MAX)
			buf_puts(out, "\033[0m");
		buf_char(out, '\n');
	}
}

void watch_text(const struct json *now, const struct term *term, size_t rows, struct buf *out)
{
	struct arena a;
	struct buf head, tail, table;
	arena_init(&a);
	buf_init(&head);
	buf_init(&tail);
	buf_init(&table);
	put_state(now, term, &a, &head);
	if (str_is(json_str(now, "state", STR("")), "running"))
		put_now(json_get(now, "now"), &a, &head);
	put_spark(now, term, &a, &tail);
	put_best(now, &a, &tail);
	put_rest(now, &tail);
	size_t others =
		count_lines(&head) + count_lines(&tail) + 4; /* a heading, a line for earlier ones, hidden columns */
	put_versions(now, term, !rows ? 0 : rows > others + 2 ? rows - others : 2, &table);
	const struct buf *parts[] = {&head, &table, &tail};
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (rows)
			put_cut(out, buf_view(parts[i]), term->width);
		else if (i == 1) /* laid out already */
			buf_str(out, buf_view(parts[i]));
		else
			term_lines(out, term, buf_view(parts[i]), WATCH_LABEL);
	}
	buf_release(&head);
	buf_release(&tail);
	buf_release(&table);
	arena_release(&a);
}

static void put_line(struct buf *out, const char *text)
{
	char now[25];
	clock_utc_iso(now);
	buf_printf(out, "%.8sZ %s\n", now + 11, text);
}

static void version_line(const struct json *v, struct arena *a, struct buf *out)
{
	double ms = json_f64(v, "median_ms", NAN);
	const char *time = isfinite(ms) ? arena_printf(a, ", median %s", term_time(a, 1e6 * ms)) : "";
	put_line(out, arena_printf(a, "%s %.*s%s: %.*s %.*s", label_of(a, v), STR_ARG(json_str(v, "verdict", STR("?"))),
				   time, STR_ARG(json_str(v, "outcome", STR("?"))),
				   STR_ARG(json_str(v, "reason", STR("")))));
}

void watch_lines(const struct json *before, const struct json *now, struct buf *out)
{
	const struct json *was = list_of(before, "versions"), *list = list_of(now, "versions");
	struct str state = json_str(now, "state", STR("")), state_was = json_str(before, "state", STR(""));
	struct buf phase, phase_was, text;
	struct arena a;
	struct term plain = {.width = SIZE_MAX / 2};
	arena_init(&a);
	buf_init(&phase);
	buf_init(&phase_was);
	buf_init(&text);
	if (!before)
		buf_printf(out, "run %.*s\n", STR_ARG(json_str(now, "run_dir", STR("?"))));
	for (size_t i = was ? was->n : 0; list && i < list->n; i++)
		version_line(list->items[i], &a, out);
	put_phase(&phase, json_get(now, "now"));
	put_phase(&phase_was, json_get(before, "now"));
	if (str_is(state, "running") && phase.n && !str_eq(buf_view(&phase), buf_view(&phase_was)))
		put_line(out, phase.p);
	if (!str_eq(state, state_was) && !str_is(state, "running")) {
		struct str lines, line;
		put_state(now, &plain, &a, &text);
		put_best(now, &a, &text);
		put_rest(now, &text);
		lines = buf_view(&text);
		while (lines.n && str_split(&lines, '\n', &line)) {
			if (!str_starts(line, "run ") && !str_starts(line, "kernel "))
				buf_printf(out, "%.*s\n", STR_ARG(line));
		}
	}
	buf_release(&phase);
	buf_release(&phase_was);
	buf_release(&text);
	arena_release(&a);
}
