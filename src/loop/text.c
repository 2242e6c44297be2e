/* The texts of a run.
 * In: manifest, bench records, proposals. Out: Markdown.
 * What a proposal says is quoted as its author's statement.
 * Never: says that something is correct where there was no reference. */
#include "loop/text.h"

#include <math.h>

#include "base/file.h"
#include "report/bench_text.h"

static const char *text_or(struct arena *a, const struct json *j, const char *key, const char *fallback)
{
	struct str s = json_str(j, key, STR(""));
	return s.n ? arena_strndup(a, s.p, s.n) : fallback;
}

static const char *ms_or_dash(struct arena *a, const struct json *j, const char *key)
{
	double v = json_f64(j, key, NAN);
	char number[32];
	if (!isfinite(v))
		return "-";
	json_repr(number, v);
	return arena_printf(a, "%s ms", number);
}

static bool has_reference(const struct run *r)
{
	return json_str(json_get(r->manifest, "frozen"), "reference", STR("")).n > 0;
}

static const char *correct_word(const struct run *r, const struct json *it)
{
	const struct json *v = json_get(it, "correctness_passed");
	if (!has_reference(r) || !v || v->type != JSON_BOOL)
		return "not checked";
	return v->boolean ? "passed" : "failed";
}

bool text_iteration(const struct run *r, size_t i, const struct json *bench, struct err *e)
{
	struct arena *a = r->arena;
	const struct json *it = run_iteration(r, i);
	struct term plain = {.width = 100, .colour = false};
	struct buf b;
	buf_init(&b);
	buf_printf(&b, "# Version %zu\n\n", i);
	buf_printf(&b, "- status: %s\n", text_or(a, it, "status", "?"));
	buf_printf(&b, "- verdict: %s\n", text_or(a, it, "verdict", "?"));
	if (json_str(it, "verdict_text", STR("")).n)
		buf_printf(&b, "- detail: %s\n", text_or(a, it, "verdict_text", ""));
	buf_printf(&b, "- comparison with the reference: %s\n", correct_word(r, it));
	buf_printf(&b, "- median: %s, average: %s, source: %s\n", ms_or_dash(a, it, "median_ms"),
		   ms_or_dash(a, it, "average_ms"), text_or(a, it, "source", "-"));
	buf_printf(&b, "- eligible as best: %s\n", json_bool(it, "eligible", false) ? "yes" : "no");
	static const char *const sets[] = {"targeted", "full"};
	for (size_t k = 0; k < COUNT_OF(sets); k++)
		buf_printf(&b, "- %s report: %s\n", sets[k],
			   text_or(a, it, arena_printf(a, "%s_report", sets[k]),
				   text_or(a, it, arena_printf(a, "%s_reason", sets[k]), "none")));
	buf_puts(&b, "\n```\n");
	bench_text(bench, &plain, a, &b);
	buf_puts(&b, "```\n");
	const char *path = arena_printf(a, "%s/iteration_summary.md", run_iteration_folder(r, i));
	bool ok = file_write_str(path, buf_view(&b), e);
	buf_release(&b);
	return ok;
}

bool text_proposal_template(const struct run *r, size_t i, struct err *e)
{
	const char *path = arena_printf(r->arena, "%s/optimization_proposal.md", run_iteration_folder(r, i));
	struct buf b;
	if (file_exists(path))
		return true;
	buf_init(&b);
	buf_printf(&b, "# From v%zu to v%zu\n\n", i, i + 1);
	if (i == 0)
		buf_puts(&b, "## Primary references\n| item | adopted / does not fit / conflicts | reason "
			     "|\n|---|---|---|\n\n");
	else
		buf_puts(&b,
			 "## Bottlenecks\n1. \n\n## Evidence\n- metric = value unit\n\n## Pipelining assessment\n\n");
	buf_puts(&b, "## Change\n\n## Preferred strategies\n\n## Strategy tags\n");
	bool ok = file_write_str(path, buf_view(&b), e);
	buf_release(&b);
	return ok;
}

/* The body of a heading in a version's proposal; empty when there is none. */
static struct str section(const struct run *r, size_t i, const char *heading)
{
	struct err ignored;
	struct str text, line, body = STR("");
	const char *path = arena_printf(r->arena, "%s/optimization_proposal.md", run_iteration_folder(r, i));
	bool inside = false;
	if (!file_read(r->arena, &text, path, 4u << 20, &ignored))
		return body;
	while (str_split(&text, '\n', &line)) {
		bool is_heading = str_starts(line, "## ");
		if (is_heading && inside)
			break;
		if (is_heading) {
			inside = str_eq(str_trim(line), str_from(arena_printf(r->arena, "## %s", heading)));
			continue;
		}
		if (inside)
			body = body.n ? (struct str){body.p, (size_t)(line.p + line.n - body.p)} : line;
	}
	return str_trim(body);
}

static void put_quote(struct buf *b, struct str text)
{
	struct str line;
	while (str_split(&text, '\n', &line))
		buf_printf(b, "> %.*s\n", STR_ARG(line));
}

static void put_comparison(struct buf *b, const struct run *r, int64_t best)
{
	struct arena *a = r->arena;
	const struct json *v0 = run_iteration(r, 0), *v = best >= 0 ? run_iteration(r, (size_t)best) : NULL;
	buf_puts(b, "\n## 2. Baseline and best version\n\n| | median | average | min | max | source "
		    "|\n|---|---|---|---|---|---|\n");
	buf_printf(b, "| v0 | %s | %s | %s | %s | %s |\n", ms_or_dash(a, v0, "median_ms"),
		   ms_or_dash(a, v0, "average_ms"), ms_or_dash(a, v0, "min_ms"), ms_or_dash(a, v0, "max_ms"),
		   text_or(a, v0, "source", "-"));
	if (v)
		buf_printf(b, "| v%lld | %s | %s | %s | %s | %s |\n", (long long)best, ms_or_dash(a, v, "median_ms"),
			   ms_or_dash(a, v, "average_ms"), ms_or_dash(a, v, "min_ms"), ms_or_dash(a, v, "max_ms"),
			   text_or(a, v, "source", "-"));
	double base = json_f64(v0, "median_ms", NAN), now = json_f64(v, "median_ms", NAN);
	struct str s0 = json_str(v0, "source", STR("")), s1 = json_str(v, "source", STR(""));
	if (v && best > 0 && isfinite(base / now) && str_eq(s0, s1))
		buf_printf(b, "\nRatio of medians v0 / v%lld: %.3f (same source, separate processes).\n",
			   (long long)best, base / now);
}

static void put_reports(struct buf *b, const struct run *r, const struct json *v)
{
	struct arena *a = r->arena;
	buf_printf(b, "\n## 3. Full report of the best version\n\n%s\n", text_or(a, v, "full_report", "none"));
	buf_printf(b, "\n## 4. Commands of its reports\n\n- targeted: `%s`\n- full: `%s`\n",
		   text_or(a, v, "targeted_command", "none"), text_or(a, v, "full_command", "none"));
}

static void put_author(struct buf *b, const struct run *r, int64_t best)
{
	buf_puts(b, "\n## 5. Main bottleneck\n\n");
	struct str body = best > 0 ? section(r, (size_t)best - 1, "Bottlenecks") : STR("");
	buf_puts(b, body.n ? "As the author of the winning version states it:\n\n"
			   : "No statement of an author: the best version is ");
	if (body.n)
		put_quote(b, body);
	else
		buf_puts(b, best == 0 ? "v0.\n" : best < 0 ? "none.\n" : "one whose proposal names none.\n");
	buf_puts(b, "\n## 6. Key ideas\n\n");
	bool any = false;
	for (int64_t i = 0; i < best; i++) {
		struct str change = section(r, (size_t)i, "Change");
		if (!change.n)
			continue;
		buf_printf(b, "From v%lld to v%lld, in its author's words:\n\n", (long long)i, (long long)i + 1);
		put_quote(b, change);
		buf_char(b, '\n');
		any = true;
	}
	if (!any)
		buf_puts(b, "None stated.\n");
}

static void put_losers(struct buf *b, const struct run *r, int64_t best)
{
	struct arena *a = r->arena;
	buf_puts(b, "\n## 7. Versions that are not the best\n\n| version | why | median |\n|---|---|---|\n");
	for (size_t i = 0; i < run_n_iterations(r); i++) {
		const struct json *it = run_iteration(r, i);
		if ((int64_t)i == best)
			continue;
		const char *why =
			json_bool(it, "rejected", false)
				? arena_printf(a, "rejected: %s: %s", text_or(a, it, "verdict", "?"),
					       text_or(a, it, "verdict_text", ""))
			: !json_bool(it, "eligible", false)
				? arena_printf(a, "not eligible: %s", text_or(a, it, "full_reason", "no full report"))
				: "ranks behind the best version";
		buf_printf(b, "| v%zu | %s | %s |\n", i, why, ms_or_dash(a, it, "median_ms"));
	}
}

static void put_memory(struct buf *b, const struct run *r)
{
	static const char *const kinds[] = {"positive", "negative", "rejected"};
	const struct json *m = json_path(r->manifest, "strategy_memory.current_run");
	buf_puts(b, "\n## 8. Strategy memory of this run\n\n");
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		const struct json *list = json_get(m, kinds[k]);
		buf_printf(b, "- %s:", kinds[k]);
		for (size_t i = 0; list && i < list->n; i++)
			buf_printf(b, " %.*s", STR_ARG(json_str(list->items[i], "fingerprint", STR("?"))));
		buf_puts(b, list && list->n ? "\n" : " none\n");
	}
	buf_puts(b, "\n## 9. Blocked strategies avoided, preferred strategies merged\n\n");
	for (size_t i = 0; i + 1 < run_n_iterations(r); i++) {
		struct str body = section(r, i, "Preferred strategies");
		buf_printf(b, "From v%zu to v%zu:\n\n", i, i + 1);
		put_quote(b, body.n ? body : STR("(no statement)"));
		buf_char(b, '\n');
	}
	if (run_n_iterations(r) < 2)
		buf_puts(b, "Only one version was evaluated.\n");
}

bool text_final(const struct run *r, struct err *e)
{
	struct arena *a = r->arena;
	const struct json *best_value = json_get(r->manifest, "best_iteration");
	int64_t best = best_value && best_value->type == JSON_INT ? best_value->i : -1;
	const struct json *v = best >= 0 ? run_iteration(r, (size_t)best) : NULL;
	struct buf b;
	buf_init(&b);
	buf_printf(&b, "# Summary of %s\n\n", r->folder);
	buf_printf(&b, "%zu of %lld versions evaluated. Claim layer: kernel. Not a formal result.\n",
		   run_n_iterations(r), (long long)json_i64(r->manifest, "max_iterations", 0) + 1);
	if (!has_reference(r))
		buf_puts(&b, "No reference was given: nothing is claimed about results.\n");
	buf_printf(&b, "\n## 1. Best version\n\n%s\n",
		   v ? text_or(a, v, "path", "?")
		     : "None: no version is eligible (benchmark done, results right, full report there).");
	if (v)
		buf_printf(&b, "\nv%lld: %s\n", (long long)best, text_or(a, r->manifest, "best_reason", ""));
	put_comparison(&b, r, best);
	put_reports(&b, r, v);
	put_author(&b, r, best);
	put_losers(&b, r, best);
	put_memory(&b, r);
	bool ok = file_write_str(path_join(a, r->folder, "final_summary.md"), buf_view(&b), e);
	buf_release(&b);
	return ok;
}
