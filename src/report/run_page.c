/* The HTML report of a run.
 * In: a run folder. Out: one page.
 * Everything is read from records; what a proposal says is shown as its author's words.
 * Never: computes a result, fetches anything. */
#include "report/run_page.h"

#include <math.h>

#include "base/file.h"
#include "base/json.h"
#include "base/term.h"
#include "report/chart.h"
#include "report/diff.h"
#include "report/html.h"
#include "report/metric_table.h"

enum { PAGE_MOST_SOURCE = 1 << 20 };

struct page {
	struct buf *out;
	struct arena *arena;
	const char *folder;
	struct json *manifest;
	const struct json *versions; /* iterations[] */
	struct json **bench;         /* benchmark_result.json of each, or NULL */
	size_t n;
	int64_t best; /* -1: none */
};

static bool open_page(struct page *p, struct err *e)
{
	struct err absent;
	p->manifest = json_read_file(p->arena, path_join(p->arena, p->folder, "run_manifest.json"), JSON_STRICT, e);
	if (!p->manifest)
		return false;
	p->versions = json_get(p->manifest, "iterations");
	if (!p->versions || p->versions->type != JSON_ARRAY)
		return err_set(e, ERR_INPUT, "%s: is no run folder (its manifest has no iterations)", p->folder);
	p->n = p->versions->n;
	p->bench = ARENA_ARRAY(p->arena, p->n + 1, struct json *);
	for (size_t i = 0; i < p->n; i++)
		p->bench[i] = json_read_file(p->arena,
					     arena_printf(p->arena, "%s/iter_v%zu/benchmark_result.json", p->folder, i),
					     JSON_STRICT, &absent);
	const struct json *best = json_get(p->manifest, "best_iteration");
	p->best = best && best->type == JSON_INT && best->i >= 0 && (size_t)best->i < p->n ? best->i : -1;
	return true;
}

static const char *text_of(const struct page *p, const struct json *j, const char *key, const char *fallback)
{
	struct str s = json_str(j, key, STR(""));
	return s.n ? arena_strndup(p->arena, s.p, s.n) : fallback;
}

static const char *ms_text(const struct page *p, double ms)
{
	return isfinite(ms) ? term_time(p->arena, ms * 1e6) : "-";
}

static const struct json *primary_of(const struct json *bench)
{
	const struct json *k = json_get(bench, "kernel");
	struct str source = json_str(k, "source", STR(""));
	return json_get(k, str_is(source, "event_pair") ? "events" : "cold");
}

static void put_head(struct page *p)
{
	const struct json *v0 = p->n ? p->versions->items[0] : NULL;
	const struct json *v = p->best >= 0 ? p->versions->items[p->best] : NULL;
	buf_puts(p->out, "<h1>");
	html_cstr(p->out, arena_printf(p->arena, "%s: %zu versions", path_base(text_of(p, v0, "path", "run")), p->n));
	buf_puts(p->out, "</h1><p class=\"dim\">");
	html_cstr(p->out,
		  arena_printf(p->arena, "%s; backend %s; claim layer kernel, not a formal result",
			       text_of(p, p->n && p->bench[0] ? json_get(p->bench[0], "device") : NULL, "name", "?"),
			       text_of(p, json_get(p->manifest, "frozen"), "backend", "?")));
	buf_puts(p->out, "</p>\n");
	double base = json_f64(v0, "median_ms", NAN), now = json_f64(v, "median_ms", NAN);
	buf_puts(p->out, v ? "<p class=\"verdict\">" : "<p class=\"verdict none\">");
	if (v && p->best > 0 && isfinite(base / now))
		html_cstr(p->out,
			  arena_printf(p->arena, "Best version: v%lld, median %s; v0 has %s (ratio of medians %.2f).",
				       (long long)p->best, ms_text(p, now), ms_text(p, base), base / now));
	else if (v)
		html_cstr(p->out, arena_printf(p->arena, "Best version: v%lld, median %s.", (long long)p->best,
					       ms_text(p, now)));
	else
		html_cstr(p->out, "No version is eligible.");
	buf_puts(p->out, "</p>\n");
}

static void put_versions(struct page *p)
{
	struct chart_version *v = ARENA_ARRAY(p->arena, p->n + 1, struct chart_version);
	html_section(p->out, "versions", "Versions");
	for (size_t i = 0; i < p->n; i++) {
		const struct json *s = json_get(primary_of(p->bench[i]), "summary");
		v[i] = (struct chart_version){.label = arena_printf(p->arena, "v%zu", i),
					      .middle = json_f64(s, "trimmed_mean_ns", NAN),
					      .low = json_f64(s, "min_ns", NAN),
					      .high = json_f64(s, "max_ns", NAN),
					      .half = json_f64(json_get(s, "interval"), "half_width_ns", 0),
					      .word = text_of(p, p->versions->items[i], "verdict", "?"),
					      .is_best = (int64_t)i == p->best};
	}
	chart_versions(p->out, p->arena, v, p->n);
	html_table(p->out, "All versions", "version|status|verdict|>median|>average|>min|>max|source|detail");
	for (size_t i = 0; i < p->n; i++) {
		const struct json *it = p->versions->items[i];
		static const char *const times[] = {"median_ms", "average_ms", "min_ms", "max_ms"};
		html_row(p->out);
		html_cell(p->out, str_from(v[i].label), NULL);
		html_cell(p->out, json_str(it, "status", STR("?")), NULL);
		html_cell(p->out, json_str(it, "verdict", STR("?")), NULL);
		for (size_t k = 0; k < COUNT_OF(times); k++) {
			double ms = json_f64(it, times[k], NAN);
			html_cell(p->out, str_from(ms_text(p, ms)),
				  isfinite(ms) ? arena_printf(p->arena, "%.9g", ms) : "0");
		}
		html_cell(p->out, json_str(it, "source", STR("-")), NULL);
		html_cell(p->out, json_str(it, "verdict_text", STR("")), NULL);
		buf_puts(p->out, "</tr>\n");
	}
	html_table_end(p->out);
	html_section_end(p->out);
}

static bool sample_of(const struct page *p, size_t i, struct chart_sample *out)
{
	const struct json *x = json_get(primary_of(p->bench[i]), "samples_ns");
	if (!x || x->type != JSON_ARRAY || x->n < 4)
		return false;
	double *v = ARENA_ARRAY(p->arena, x->n, double);
	for (size_t k = 0; k < x->n; k++)
		v[k] = x->items[k]->real;
	*out = (struct chart_sample){arena_printf(p->arena, "v%zu", i), v, x->n};
	return true;
}

static void put_samples(struct page *p)
{
	struct chart_sample s[2];
	size_t n = 0, best = p->best > 0 ? (size_t)p->best : 0;
	html_section(p->out, "samples", "Samples");
	n += p->n && sample_of(p, 0, &s[n]);
	n += best > 0 && sample_of(p, best, &s[n]);
	if (n)
		chart_strips(p->out, p->arena, s, n);
	for (size_t i = 0; i < n; i++)
		chart_series(p->out, p->arena, &s[i]);
	if (!n)
		buf_puts(p->out, "<p class=\"dim\">No samples.</p>\n");
	html_section_end(p->out);
}

/* Counts whole, errors to four digits. */
static const char *number_text(struct arena *a, double v)
{
	if (!isfinite(v))
		return "-";
	return v == floor(v) && fabs(v) < 1e15 ? arena_printf(a, "%.0f", v) : arena_printf(a, "%.4g", v);
}

static void put_correctness(struct page *p)
{
	html_section(p->out, "correctness", "Correctness");
	html_table(p->out, "What the keeper saw after the calls of each version; it owns the tensors",
		   "version|case|data set|calls|output|>mismatches|>of|>max abs error|>max rel error|>unwritten|inputs "
		   "changed|guard bytes damaged");
	for (size_t i = 0; i < p->n; i++) {
		const struct json *cases = json_path(p->bench[i], "correctness.cases");
		for (size_t k = 0; cases && k < cases->n; k++) {
			const struct json *c = cases->items[k], *outputs = json_get(c, "outputs");
			for (size_t o = 0; outputs && o < outputs->n; o++) {
				const struct json *x = outputs->items[o];
				static const char *const numbers[] = {"n_mismatch", "n", "max_abs_error",
								      "max_rel_error", "n_unwritten"};
				html_row(p->out);
				html_cell(p->out, str_from(arena_printf(p->arena, "v%zu", i)), NULL);
				html_cell(p->out, json_str(c, "case", STR("?")), NULL);
				html_cell(
					p->out,
					str_from(arena_printf(p->arena, "%lld", (long long)json_i64(c, "data_set", 0))),
					NULL);
				html_cell(p->out, json_str(c, "calls", STR("")), NULL);
				html_cell(p->out, json_str(x, "name", STR("?")), NULL);
				for (size_t m = 0; m < COUNT_OF(numbers); m++) {
					double v = json_f64(x, numbers[m], NAN);
					const char *t = number_text(p->arena, v);
					html_cell(p->out, str_from(t),
						  isfinite(v) ? arena_printf(p->arena, "%.9g", v) : "0");
				}
				html_cell(p->out,
					  str_from(arena_printf(p->arena, "%lld",
								(long long)json_i64(c, "inputs_changed", 0))),
					  NULL);
				html_cell(p->out,
					  str_from(arena_printf(p->arena, "%lld",
								(long long)json_i64(c, "guard_bytes_damaged", 0))),
					  NULL);
				buf_puts(p->out, "</tr>\n");
			}
		}
	}
	html_table_end(p->out);
	html_section_end(p->out);
}

static bool source_of(const struct page *p, size_t i, struct str *out)
{
	struct err absent;
	struct str path = json_str(p->versions->items[i], "path", STR(""));
	if (!path.n)
		return false;
	const char *here = arena_printf(p->arena, "%s/iter_v%zu/%s", p->folder, i,
					path_base(arena_strndup(p->arena, path.p, path.n)));
	return file_read(p->arena, out, here, PAGE_MOST_SOURCE, &absent);
}

static void put_one_diff(struct page *p, size_t from, size_t to, bool is_open)
{
	struct str x, y;
	if (from == to || !source_of(p, from, &x) || !source_of(p, to, &y))
		return;
	buf_printf(p->out, "<details%s><summary>v%zu to v%zu</summary>\n", is_open ? " open" : "", from, to);
	diff_html(p->out, p->arena, x, y);
	buf_puts(p->out, "</details>\n");
}

static void put_sources(struct page *p)
{
	html_section(p->out, "sources", "Sources");
	if (p->best > 0)
		put_one_diff(p, 0, (size_t)p->best, true);
	for (size_t i = 1; i < p->n; i++)
		put_one_diff(p, i - 1, i, false);
	for (size_t i = 0; i < p->n; i++) {
		struct str text;
		struct err absent;
		const char *path = arena_printf(p->arena, "%s/iter_v%zu/optimization_proposal.md", p->folder, i);
		if (!file_read(p->arena, &text, path, PAGE_MOST_SOURCE, &absent) || i + 1 == p->n)
			continue;
		buf_printf(p->out, "<details><summary>Proposal from v%zu to v%zu, its author's words</summary><pre>", i,
			   i + 1);
		html_text(p->out, text);
		buf_puts(p->out, "</pre></details>\n");
	}
	html_section_end(p->out);
}

static void put_strategies(struct page *p)
{
	static const char *const kinds[] = {"positive", "negative", "rejected"};
	html_section(p->out, "memory", "Strategy memory");
	html_table(p->out, "Strategies of this run", "outcome|fingerprint|tags|reason|why");
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		const struct json *list =
			json_path(p->manifest, arena_printf(p->arena, "strategy_memory.current_run.%s", kinds[k]));
		for (size_t i = 0; list && list->type == JSON_OBJECT && i < list->n; i++) {
			const struct json *x = list->members[i].value, *tags = json_get(x, "tags");
			struct buf t;
			buf_init(&t);
			for (size_t m = 0; tags && m < tags->n; m++)
				buf_printf(&t, "%s%.*s", m ? ", " : "", STR_ARG(tags->items[m]->text));
			html_row(p->out);
			html_cell(p->out, str_from(kinds[k]), NULL);
			html_cell(p->out, list->members[i].key, NULL);
			html_cell(p->out, buf_view(&t), NULL);
			html_cell(p->out, json_str(x, "last_reason", STR("")), NULL);
			html_cell(p->out, json_str(x, "why", STR("")), NULL);
			buf_puts(p->out, "</tr>\n");
			buf_release(&t);
		}
	}
	html_table_end(p->out);
	html_section_end(p->out);
}

static void put_environment(struct page *p)
{
	struct err absent;
	html_section(p->out, "environment", "Environment and commands");
	html_table(p->out, "Commands and records of each version", "version|record|command");
	for (size_t i = 0; i < p->n; i++) {
		static const char *const keys[] = {"targeted_command", "full_command"};
		struct str build = json_str(json_get(p->bench[i], "build"), "command", STR(""));
		html_row(p->out);
		html_cell(p->out, str_from(arena_printf(p->arena, "v%zu", i)), NULL);
		html_cell(p->out, json_str(p->versions->items[i], "record", STR("-")), NULL);
		html_cell(p->out, build, NULL);
		buf_puts(p->out, "</tr>\n");
		for (size_t k = 0; k < COUNT_OF(keys); k++) {
			struct str c = json_str(p->versions->items[i], keys[k], STR(""));
			if (!c.n)
				continue;
			html_row(p->out);
			html_cell(p->out, str_from(arena_printf(p->arena, "v%zu", i)), NULL);
			html_cell(p->out, str_from(keys[k]), NULL);
			html_cell(p->out, c, NULL);
			buf_puts(p->out, "</tr>\n");
		}
	}
	html_table_end(p->out);
	struct str preflight;
	if (file_read(p->arena, &preflight, path_join(p->arena, p->folder, "preflight_check.md"), PAGE_MOST_SOURCE,
		      &absent)) {
		buf_puts(p->out, "<details><summary>Preflight</summary><pre>");
		html_text(p->out, preflight);
		buf_puts(p->out, "</pre></details>\n");
	}
	buf_puts(p->out, "<p class=\"dim\">Made from ");
	html_cstr(p->out, p->folder);
	buf_puts(p->out, "/run_manifest.json and the records that it names, by assay ");
	html_cstr(p->out, text_of(p, json_get(p->manifest, "tool"), "version", "?"));
	buf_puts(p->out, ".</p>\n");
	html_section_end(p->out);
}

bool run_page(struct buf *out, struct arena *a, const char *folder, struct err *e)
{
	struct page p = {.out = out, .arena = a, .folder = folder};
	if (!open_page(&p, e))
		return false;
	html_begin(out, str_from(arena_printf(a, "assay: %s", path_base(folder))));
	put_head(&p);
	put_versions(&p);
	put_samples(&p);
	put_correctness(&p);
	metric_table(out, a, folder, p.n);
	put_sources(&p);
	put_strategies(&p);
	put_environment(&p);
	html_end(out);
	return true;
}

bool run_csv(struct buf *out, struct arena *a, const char *folder, struct err *e)
{
	static const char *const keys[] = {"median_ms", "average_ms", "min_ms", "max_ms"};
	struct page p = {.out = out, .arena = a, .folder = folder};
	if (!open_page(&p, e))
		return false;
	buf_puts(out, "version,status,verdict,median_ms,average_ms,min_ms,max_ms,source,eligible\n");
	for (size_t i = 0; i < p.n; i++) {
		const struct json *it = p.versions->items[i];
		buf_printf(out, "v%zu,%s,%s", i, text_of(&p, it, "status", ""), text_of(&p, it, "verdict", ""));
		for (size_t k = 0; k < COUNT_OF(keys); k++) {
			double v = json_f64(it, keys[k], NAN);
			char number[32];
			if (isfinite(v))
				json_repr(number, v);
			buf_printf(out, ",%s", isfinite(v) ? number : "");
		}
		buf_printf(out, ",%s,%s\n", text_of(&p, it, "source", ""),
			   json_bool(it, "eligible", false) ? "yes" : "no");
	}
	return true;
}
