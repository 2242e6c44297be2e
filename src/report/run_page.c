/* The HTML report of a run.
 * In: a run folder. Out: one page.
 * Everything is read from records; what a proposal says is shown as its author's words.
 * Never: measures, judges, fetches anything. */
#include "report/run_page.h"

#include <math.h>

#include "base/file.h"
#include "base/term.h"
#include "report/metric_table.h"
#include "report/run_inside.h"

bool page_open(struct page *p, struct err *e)
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

const char *page_text(const struct page *p, const struct json *j, const char *key, const char *fallback)
{
	struct str s = json_str(j, key, STR(""));
	return s.n ? arena_strndup(p->arena, s.p, s.n) : fallback;
}

const char *page_label(const struct page *p, size_t i)
{
	return p->labels ? p->labels[i] : arena_printf(p->arena, "v%zu", i);
}

const char *page_ms(const struct page *p, double ms)
{
	return isfinite(ms) ? term_time(p->arena, ms * 1e6) : "-";
}

const char *page_number(const struct page *p, double v)
{
	if (!isfinite(v))
		return "-";
	return v == floor(v) && fabs(v) < 1e15 ? arena_printf(p->arena, "%.0f", v) : arena_printf(p->arena, "%.4g", v);
}

const struct json *page_primary(const struct json *bench)
{
	const struct json *k = json_get(bench, "kernel");
	struct str source = json_str(k, "source", STR(""));
	return json_get(k, str_is(source, "event_pair") ? "events" : "cold");
}

void page_note(const struct page *p, const char *text)
{
	buf_puts(p->out, "<p class=\"dim\">");
	html_cstr(p->out, text);
	buf_puts(p->out, "</p>\n");
}

bool page_file(const struct page *p, size_t i, const char *name, struct str *out)
{
	struct err absent;
	return file_read(p->arena, out, arena_printf(p->arena, "%s/iter_v%zu/%s", p->folder, i, name), PAGE_MOST_TEXT,
			 &absent);
}

/* The paired comparison that the best version was confirmed by, or NULL. */
static const struct json *confirmation_of(const struct page *p)
{
	const struct json *list = json_get(p->manifest, "confirmations");
	for (size_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
		if (json_i64(list->items[i], "candidate", -1) == p->best &&
		    str_is(json_str(list->items[i], "verdict", STR("")), "faster"))
			return list->items[i];
	}
	return NULL;
}

static const char *verdict_text(const struct page *p)
{
	const struct json *v = p->versions->items[p->best], *c = confirmation_of(p);
	double base = json_f64(p->versions->items[0], "median_ms", NAN), now = json_f64(v, "median_ms", NAN);
	if (p->n == 1)
		return arena_printf(p->arena, "v0: %s, median %s.", page_text(p, v, "verdict", "?"), page_ms(p, now));
	if (p->best > 0 && c)
		return arena_printf(
			p->arena,
			"v%lld is %.3g times as fast as v0 (95 %% interval %.3g to %.3g), confirmed on fresh "
			"data. Median %s, v0 %s.",
			(long long)p->best, json_f64(c, "speedup", NAN), 1 + json_f64(c, "lower_pct", NAN) / 100,
			1 + json_f64(c, "upper_pct", NAN) / 100, page_ms(p, now), page_ms(p, base));
	if (p->best > 0 && isfinite(base / now))
		return arena_printf(
			p->arena,
			"Best version: v%lld, median %s; v0 has %s (ratio of medians %.2f, not confirmed by a "
			"paired comparison).",
			(long long)p->best, page_ms(p, now), page_ms(p, base), base / now);
	return arena_printf(p->arena, "Best version: v%lld, median %s.", (long long)p->best, page_ms(p, now));
}

static const char *none_text(const struct page *p)
{
	const struct json *v = p->n == 1 ? p->versions->items[0] : NULL;
	if (!v)
		return "No version is eligible.";
	return arena_printf(p->arena, "v0: %s. %s", page_text(p, v, "verdict", "?"),
			    page_text(p, v, "verdict_text", ""));
}

const char *page_verdict(const struct page *p)
{
	return p->best >= 0 ? verdict_text(p) : none_text(p);
}

void page_head(const struct page *p, const char *title, const char *verdict, bool is_good)
{
	buf_puts(p->out, "<h1>");
	html_cstr(p->out, title);
	buf_puts(p->out, is_good ? "</h1>\n<p class=\"verdict\">" : "</h1>\n<p class=\"verdict none\">");
	html_cstr(p->out, verdict);
	buf_puts(p->out, "</p>\n");
}

static void put_head(const struct page *p)
{
	const struct json *device = p->n && p->bench[0] ? json_get(p->bench[0], "device") : NULL;
	const char *source = page_text(p, p->manifest, "source_file", "run");
	page_head(p, arena_printf(p->arena, "%s: %zu version%s", path_base(source), p->n, p->n == 1 ? "" : "s"),
		  page_verdict(p), p->best >= 0);
	page_note(p, arena_printf(p->arena,
				  "%s%s. Device: %s; backend %s; times by %s. Claim layer kernel, not a formal result.",
				  p->n == 1 ? "" : "By rule: ",
				  page_text(p, p->manifest, "best_reason", "no reason is recorded"),
				  page_text(p, device, "name", "?"), page_text(p, p->manifest, "backend", "?"),
				  page_text(p, p->manifest, "ranking_source", "?")));
}

static void put_metrics(const struct page *p)
{
	metric_table(p->out, p->arena, p->folder, p->n);
}

static const struct page_section sections[] = {
	{"versions", "Versions", page_versions},
	{"samples", "Samples", page_samples},
	{"limits", "Roofline", page_limits},
	{"parts", "Where the time goes", page_parts},
	{"metrics", "Profiler metrics", put_metrics},
	{"code", "Compiled code", page_code},
	{"correctness", "Correctness", page_correctness},
	{"integrity", "Integrity", page_integrity},
	{"memory", "Strategy memory", page_memory},
	{"sources", "Sources", page_sources},
	{"environment", "Environment", page_environment},
	{"records", "Records and commands", page_records},
};

void page_sections(const struct page *p, const struct page_section *list, size_t n)
{
	buf_puts(p->out, "<nav aria-label=\"Sections\"><ul>");
	for (size_t i = 0; i < n; i++)
		buf_printf(p->out, "<li><a href=\"#%s\">%s</a></li>", list[i].id, list[i].name);
	buf_puts(p->out, "</ul></nav>\n");
	for (size_t i = 0; i < n; i++) {
		html_section(p->out, list[i].id, list[i].name);
		list[i].put(p);
		html_section_end(p->out);
	}
}

static void put_all(const struct page *p, const char *title)
{
	html_begin(p->out, str_from(arena_printf(p->arena, "assay: %s", title)));
	put_head(p);
	page_sections(p, sections, COUNT_OF(sections));
	html_end(p->out);
}

bool run_page(struct buf *out, struct arena *a, const char *folder, struct store *s, struct err *e)
{
	struct page p = {.out = out, .arena = a, .folder = folder, .store = s};
	if (!page_open(&p, e))
		return false;
	put_all(&p, path_base(folder));
	return true;
}

/* What a manifest would say of a run that is this one record. */
static struct json *manifest_of(struct arena *a, const struct json *bench)
{
	static const char *const times[] = {"median_ms", "average_ms", "min_ms", "max_ms"};
	const struct json *kernel = json_get(bench, "kernel"), *op = json_get(bench, "operator"),
			  *verdict = json_get(bench, "verdict");
	struct json *m = json_object(a), *it = json_object(a);
	struct str word = json_str(verdict, "word", STR("?")),
		   path = json_str(json_get(op, "kernel"), "path", STR("?"));
	json_push(json_set_array(m, "iterations"), it);
	json_set_str(m, "source_file", path);
	json_set_str(m, "backend", json_str(bench, "backend", STR("?")));
	json_set_str(m, "command", json_str(bench, "command", STR("")));
	json_set_str(m, "created_at", json_str(bench, "created", STR("?")));
	json_set_str(m, "ranking_source", json_str(kernel, "source", STR("none")));
	json_set_str(m, "best_reason", json_str(verdict, "meaning", STR("no reason is recorded")));
	if (json_get(bench, "tool"))
		json_set(m, "tool", json_get(bench, "tool"));
	json_set_str(it, "path", path);
	json_set_str(it, "verdict", word);
	json_set_str(it, "verdict_text", json_str(verdict, "text", STR("")));
	json_set_str(it, "record", json_str(bench, "id", STR("")));
	json_set_str(it, "source", json_str(kernel, "source", STR("-")));
	json_set_str(it, "kernel_sha256", json_str(json_get(op, "kernel"), "sha256", STR("")));
	json_set_str(it, "binary_sha256", json_str(json_get(bench, "build"), "sha256", STR("")));
	for (size_t i = 0; i < COUNT_OF(times); i++)
		json_set_f64(it, times[i], json_f64(kernel, times[i], NAN));
	if (str_is(word, "passed"))
		json_set_i64(m, "best_iteration", 0);
	return m;
}

void bench_page_of(struct page *p, struct json **bench)
{
	p->bench = bench;
	p->n = 1;
	p->manifest = manifest_of(p->arena, *bench);
	p->versions = json_get(p->manifest, "iterations");
	p->best = json_i64(p->manifest, "best_iteration", -1);
}

void bench_page(struct buf *out, struct arena *a, const char *path, struct json *record, struct store *s)
{
	struct page p = {.out = out, .arena = a, .folder = path_dir(a, path), .file = path, .store = s};
	bench_page_of(&p, &record);
	put_all(&p, path_base(path));
}
