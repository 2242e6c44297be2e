/* The text of one version.
 * In: its entry in the manifest, its benchmark_result.json. Out: iteration_summary.md.
 * Whatever it says stands in a record.
 * Never: says anything about results where there was no reference. */
#include "loop/text.h"

#include <math.h>

#include "base/file.h"
#include "loop/machine.h"

const char *text_or(struct arena *a, const struct json *j, const char *key, const char *fallback)
{
	struct str s = json_str(j, key, STR(""));
	return s.n ? arena_strndup(a, s.p, s.n) : fallback;
}

const char *text_ms(struct arena *a, const struct json *j, const char *key)
{
	double v = json_f64(j, key, NAN);
	char number[32];
	if (!isfinite(v))
		return "-";
	json_repr(number, v);
	return arena_printf(a, "%s ms", number);
}

bool text_has_reference(const struct run *r)
{
	return json_str(json_get(r->manifest, "frozen"), "reference", STR("")).n > 0;
}

const char *text_correct(const struct run *r, const struct json *it)
{
	const struct json *v = json_get(it, "correctness_passed");
	if (!text_has_reference(r) || !v || v->type != JSON_BOOL)
		return "not checked";
	return v->boolean ? "passed" : "failed";
}

static void put_list(struct buf *b, const char *label, const struct json *list)
{
	buf_printf(b, "- %s:", label);
	for (size_t i = 0; list && i < list->n; i++)
		buf_printf(b, "%s %.*s", i ? "," : "", STR_ARG(list->items[i]->text));
	buf_puts(b, list && list->n ? "\n" : " none\n");
}

/* Tags against the machine code of the kernels that this version launched. */
static void put_claims(struct buf *b, struct arena *a, const struct json *it)
{
	static const char *const verdicts[] = {"shown", "not_shown", "contradicted", "not_applicable", "no_signature"};
	const struct json *m = json_get(it, "machine_code"), *claims = json_path(it, "strategy.claims");
	if (m && !str_is(json_str(m, "state", STR("")), "read"))
		buf_printf(b, "- machine code: not read: %s\n", text_or(a, m, "reason", "?"));
	for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
		const char *tags = machine_tags(a, claims, verdicts[i]);
		if (tags)
			buf_printf(b, "- machine code, %s: %s\n", verdicts[i], tags);
	}
}

static void put_strategy(struct buf *b, struct arena *a, const struct json *it)
{
	const struct json *s = json_get(it, "strategy"), *c = json_get(s, "constraints");
	buf_puts(b, "\n## Strategy memory\n\n");
	put_list(b, "tags", json_get(s, "tags"));
	buf_printf(b, "- fingerprint: %s\n", text_or(a, s, "fingerprint", "-"));
	buf_printf(b, "- outcome: %s\n- reason: %s\n", text_or(a, s, "outcome", "-"), text_or(a, s, "reason", "-"));
	buf_printf(b, "- why: %s\n", text_or(a, s, "why", "-"));
	put_claims(b, a, it);
	if (json_bool(s, "is_environment", false))
		buf_puts(b, "- the environment, not this version: it goes into no memory\n");
	put_list(b, "blocked before this version", json_get(c, "blocked"));
	put_list(b, "preferred before this version", json_get(c, "preferred"));
}

static void put_reports(struct buf *b, struct arena *a, const struct json *it)
{
	static const char *const sets[] = {"targeted", "full"};
	for (size_t k = 0; k < COUNT_OF(sets); k++) {
		const char *path = text_or(a, it, arena_printf(a, "%s_report", sets[k]), NULL);
		const char *why = text_or(a, it, arena_printf(a, "%s_reason", sets[k]), "none");
		buf_printf(b, "- %s report: %s\n", sets[k], path ? path : why);
	}
	if (json_bool(it, "one_collection", false))
		buf_puts(b, "- one collection: the targeted report is a view of the full one\n");
}

/* The set that a version came with: the chosen one, and what became of each. */
static void put_configurations(struct buf *b, struct arena *a, const struct json *it)
{
	const struct json *c = json_get(it, "configuration");
	const char *path = text_or(a, c, "results", NULL), *id = text_or(a, c, "id", NULL);
	struct err ignored;
	const struct json *doc = path ? json_read_file(a, path, JSON_STRICT, &ignored) : NULL;
	const struct json *list = json_get(doc, "results");
	if (!c)
		return;
	buf_printf(b, "\n## Configurations\n\n%lld, of which %lld passed", (long long)json_i64(c, "n", 0),
		   (long long)json_i64(c, "n_passed", 0));
	if (id)
		buf_printf(b, "; the version is %s (`%s`), by %s", id, text_or(a, c, "switches", ""),
			   text_or(a, doc, "ranking_source", "no clock"));
	buf_puts(b, ".\n\n| configuration | verdict | median | text |\n|---|---|---|---|\n");
	for (size_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
		const struct json *x = list->items[i], *second = json_get(x, "second");
		double ns = json_f64(x, "median_ns", NAN);
		struct str text = json_str(x, "text", STR(""));
		buf_printf(b, "| %s | %s | %s | ", text_or(a, x, "id", "?"), text_or(a, x, "verdict", "?"),
			   isfinite(ns) ? arena_printf(a, "%.6g ms", ns / 1e6) : "-");
		for (size_t k = 0; k < text.n; k++)
			buf_char(b, text.p[k] == '|' ? '/' : text.p[k] == '\n' ? ' ' : text.p[k]);
		if (second && !str_is(json_str(second, "verdict", STR("")), "passed"))
			buf_printf(b, " benched again: %s", text_or(a, second, "verdict", "?"));
		buf_puts(b, " |\n");
	}
}

bool text_iteration(const struct run *r, size_t i, struct err *e)
{
	struct arena *a = r->arena;
	const struct json *it = run_iteration(r, i);
	struct err ignored;
	struct buf b;
	struct str bench;
	buf_init(&b);
	buf_printf(&b, "# Version %zu\n\n", i);
	buf_printf(&b, "- status: %s\n", text_or(a, it, "status", "?"));
	buf_printf(&b, "- verdict: %s\n", text_or(a, it, "verdict", "?"));
	if (json_str(it, "verdict_text", STR("")).n)
		buf_printf(&b, "- detail: %s\n", text_or(a, it, "verdict_text", ""));
	buf_printf(&b, "- comparison with the reference: %s\n", text_correct(r, it));
	buf_printf(&b, "- median: %s, average: %s, source: %s\n", text_ms(a, it, "median_ms"),
		   text_ms(a, it, "average_ms"), text_or(a, it, "source", "-"));
	buf_printf(&b, "- eligible as best: %s\n", json_bool(it, "eligible", false) ? "yes" : "no");
	put_reports(&b, a, it);
	put_configurations(&b, a, it);
	put_strategy(&b, a, it);
	const char *stdout_path = arena_printf(a, "%s/benchmark.stdout.txt", run_iteration_folder(r, i));
	if (file_read(a, &bench, stdout_path, 4u << 20, &ignored))
		buf_printf(&b, "\n```\n%.*s```\n", STR_ARG(bench));
	const char *path = arena_printf(a, "%s/iteration_summary.md", run_iteration_folder(r, i));
	bool ok = file_write_str(path, buf_view(&b), e);
	buf_release(&b);
	return ok;
}
