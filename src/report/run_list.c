/* Runs and their versions as lists.
 * In: run folders. Out: CSV, a table for a terminal, an index page.
 * A run whose manifest cannot be read is listed with the reason.
 * Never: leaves a run out. */
#include "report/run_list.h"

#include <math.h>

#include "base/file.h"
#include "report/rows.h"
#include "report/run_inside.h"

static const char *const times[] = {"median_ms", "average_ms", "min_ms", "max_ms"};

static void put_rows(struct page *p, bool is_md)
{
	struct rows r = {.out = p->out, .is_md = is_md};
	rows_head(&r, "version|status|verdict|median_ms|average_ms|min_ms|max_ms|source|eligible");
	for (size_t i = 0; i < p->n; i++) {
		const struct json *it = p->versions->items[i];
		rows_cell(&r, str_from(page_label(p, i)));
		rows_cell(&r, json_str(it, "status", STR("")));
		rows_cell(&r, json_str(it, "verdict", STR("")));
		for (size_t k = 0; k < COUNT_OF(times); k++)
			rows_number(&r, json_f64(it, times[k], NAN));
		rows_cell(&r, json_str(it, "source", STR("")));
		rows_cell(&r, str_from(!json_get(it, "eligible")          ? ""
				       : json_bool(it, "eligible", false) ? "yes"
									  : "no"));
		rows_end(&r);
	}
}

bool run_csv(struct buf *out, struct arena *a, const char *folder, struct err *e)
{
	struct page p = {.out = out, .arena = a, .folder = folder};
	if (!page_open(&p, e))
		return false;
	put_rows(&p, false);
	return true;
}

void bench_rows(struct buf *out, struct arena *a, struct json *record, bool is_md)
{
	struct page p = {.out = out, .arena = a};
	bench_page_of(&p, &record);
	if (is_md)
		buf_printf(out, "# %s\n\n%s\n\n", path_base(page_text(&p, p.manifest, "source_file", "?")),
			   page_verdict(&p));
	put_rows(&p, is_md);
	if (is_md)
		buf_printf(out, "\nRecord %s. `%s`\n", page_text(&p, record, "id", "?"),
			   page_text(&p, record, "command", ""));
}

bool run_txt(struct buf *out, struct arena *a, const char *folder, const struct term *term, struct err *e)
{
	struct page p = {.out = out, .arena = a, .folder = folder};
	if (!page_open(&p, e))
		return false;
	term_lines(out, term, str_from(arena_printf(a, "%s\n", page_verdict(&p))), 2);
	struct term_table *t = term_table_new(a, "version|verdict|outcome|>median|>over v0|why");
	for (size_t i = 0; i < p.n; i++) {
		const struct json *it = p.versions->items[i], *strategy = json_get(it, "strategy");
		struct str why = json_str(it, "verdict_text", STR(""));
		struct str set = json_str(json_get(it, "configuration"), "id", STR(""));
		term_table_cell(t, str_from(set.n ? arena_printf(a, "%s (%.*s)", page_label(&p, i), STR_ARG(set))
						  : page_label(&p, i)));
		term_table_cell(t, json_str(it, "verdict", STR("?")));
		term_table_cell(t, json_str(strategy, "outcome", STR("-")));
		double base = json_f64(p.versions->items[0], "median_ms", NAN), now = json_f64(it, "median_ms", NAN);
		term_table_cell(t, str_from(page_ms(&p, now)));
		term_table_cell(t, str_from(isfinite(base / now) ? arena_printf(a, "%.3g", base / now) : "-"));
		term_table_cell(t, why.n ? why : json_str(strategy, "why", STR("")));
		term_table_end_row(t);
	}
	term_table_write(t, term, out);
	return true;
}

static bool is_run(struct arena *a, const char *folder, const char *name)
{
	return file_exists(arena_printf(a, "%s/%s/run_manifest.json", folder, name));
}

bool run_is_index(struct arena *a, const char *folder)
{
	struct err absent;
	size_t n = 0;
	char **names = file_list(a, folder, &n, &absent);
	for (size_t i = 0; names && i < n; i++) {
		if (is_run(a, folder, names[i]))
			return true;
	}
	return false;
}

static void put_link(struct page *p, const char *name)
{
	bool has_page = file_exists(path_join(p->arena, p->folder, "report.html"));
	buf_puts(p->out, "<td>");
	if (has_page) {
		buf_puts(p->out, "<a href=\"");
		html_cstr(p->out, name);
		buf_puts(p->out, "/report.html\">");
	}
	html_cstr(p->out, name);
	buf_puts(p->out, has_page ? "</a></td>" : "</td>");
}

static void put_run(struct buf *out, struct arena *a, const char *folder, const char *name)
{
	struct err e;
	struct page p = {.out = out, .arena = a, .folder = path_join(a, folder, name)};
	bool is_read = page_open(&p, &e);
	html_row(out);
	put_link(&p, name);
	if (!is_read) {
		html_cell(out, str_from(e.text), NULL);
		html_row_end(out);
		return;
	}
	const struct json *v0 = p.n ? p.versions->items[0] : NULL,
			  *best = p.best >= 0 ? p.versions->items[p.best] : NULL;
	double base = json_f64(v0, "median_ms", NAN), now = json_f64(best, "median_ms", NAN);
	html_cell(out, str_from(page_verdict(&p)), NULL);
	html_number(out, arena_printf(a, "%zu", p.n), (double)p.n);
	html_number(out, page_ms(&p, base), base);
	html_number(out, page_ms(&p, now), now);
	html_number(out, isfinite(base / now) ? arena_printf(a, "%.3g", base / now) : "-", base / now);
	html_cell(out, json_str(p.manifest, "backend", STR("?")), NULL);
	html_cell(out, json_str(p.manifest, "created_at", STR("?")), NULL);
	html_row_end(out);
}

/* Names carry the time of their start, so that backwards is newest first for runs of one kernel. */
bool run_index(struct buf *out, struct arena *a, const char *folder, struct err *e)
{
	size_t n = 0, n_runs = 0;
	char **names = file_list(a, folder, &n, e);
	if (!names)
		return false;
	for (size_t i = 0; i < n; i++)
		n_runs += is_run(a, folder, names[i]) ? 1 : 0;
	html_begin(out, str_from(arena_printf(a, "assay: %s", path_base(folder))));
	buf_puts(out, "<h1>");
	html_cstr(out, arena_printf(a, "%s: %zu run%s", path_base(folder), n_runs, n_runs == 1 ? "" : "s"));
	buf_puts(out, "</h1>\n");
	html_table(out, "Over v0: ratio of medians, not paired",
		   "run|result|>versions|>v0|>best|>over v0|backend|started");
	for (size_t i = n; i-- > 0;) {
		if (is_run(a, folder, names[i]))
			put_run(out, a, folder, names[i]);
	}
	html_table_end(out);
	html_end(out);
	return true;
}
