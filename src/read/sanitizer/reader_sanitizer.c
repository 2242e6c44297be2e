/* compute-sanitizer's findings as `assay read` shows them.
 * In: its text or XML.
 * Out: a sheet of sites, facts, JSON.
 * Never: calls a kernel wrong; findings are what the tool printed. */
#include "read/sanitizer/reader_sanitizer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "read/sanitizer/sanitizer.h"

struct opened {
	struct arena a;
	struct sanitizer_report r;
};

static bool accepts(struct str head, const char *path)
{
	(void)path;
	return sanitizer_is_output(head);
}

static void close_report(void *report)
{
	struct opened *r = report;
	arena_release(&r->a);
	free(r);
}

static void *open_report(const char *path, struct err *e)
{
	struct file_map map;
	struct opened *r = calloc(1, sizeof *r);
	if (!r)
		BUG("out of memory");
	arena_init(&r->a);
	if (file_map(&map, path, e)) {
		bool ok = sanitizer_read(&r->r, &r->a, path, (struct str){map.p, map.n}, e);
		file_unmap(&map);
		if (ok)
			return r;
	}
	close_report(r);
	return NULL;
}

static void damage_of(const void *report, struct reader_damage *out)
{
	const struct opened *r = report;
	*out = (struct reader_damage){0};
	if (!r->r.has_summary)
		snprintf(out->text, sizeof out->text,
			 "the output has no end: the tool was ended or the file is cut; %zu findings "
			 "before it are kept",
			 r->r.n_findings);
}

static const struct sheet_column columns[] = {
	{"tool", "tool", "", SHEET_TEXT},
	{"kind", "kind", "", SHEET_TEXT},
	{"n", "n", "", 0},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"file", "file", "", SHEET_TEXT},
	{"line", "line", "", 0},
	{"access", "access", "", SHEET_TEXT},
	{"space", "space", "", SHEET_TEXT},
	{"size", "size", "byte", 0},
	{"thread", "first thread", "", SHEET_TEXT},
	{"block", "first block", "", SHEET_TEXT},
	{"address", "first address", "", SHEET_TEXT | SHEET_HIDDEN},
	{"level", "level", "", SHEET_TEXT | SHEET_HIDDEN},
	{"note", "note", "", SHEET_TEXT | SHEET_HIDDEN},
};

static struct str triple_text(struct arena *a, const uint64_t v[3])
{
	return str_from(arena_printf(a, "(%llu,%llu,%llu)", (unsigned long long)v[0], (unsigned long long)v[1],
				     (unsigned long long)v[2]));
}

static void site_row(struct sheet *s, const struct sanitizer_finding *f, uint64_t n)
{
	struct sheet_cell *c = sheet_row(s);
	sheet_put_text(&c[0], str_from(sanitizer_tool_name(f->tool)));
	sheet_put_text(&c[1], str_from(sanitizer_kind_name(f->kind)));
	sheet_put(&c[2], (double)n);
	sheet_put_text(&c[3], f->at.kernel);
	sheet_put_text(&c[4], f->at.file);
	if (f->at.line)
		sheet_put(&c[5], (double)f->at.line);
	sheet_put_text(&c[6], f->at.access);
	sheet_put_text(&c[7], f->space);
	if (f->has & SANITIZER_HAS_SIZE)
		sheet_put(&c[8], (double)f->size);
	if (f->has & SANITIZER_HAS_THREAD) {
		sheet_put_text(&c[9], triple_text(s->arena, f->thread));
		sheet_put_text(&c[10], triple_text(s->arena, f->block));
	}
	if (f->has & SANITIZER_HAS_ADDRESS)
		sheet_put_text(&c[11], str_from(arena_printf(s->arena, "0x%llx", (unsigned long long)f->address)));
	sheet_put_text(&c[12], f->is_warning ? STR("warning") : STR("error"));
	sheet_put_text(&c[13], f->note);
}

static struct sheet *sheets_of(void *report, const char *table, struct arena *a, size_t *n)
{
	const struct opened *r = report;
	struct sheet *s = ARENA_NEW(a, struct sheet);
	(void)table;
	sheet_init(s, a, "findings", columns, COUNT_OF(columns));
	s->title = "Findings by place";
	s->is_main = true;
	s->note = arena_printf(a, "%llu errors, %llu warnings%s%.*s", (unsigned long long)r->r.n_errors,
			       (unsigned long long)r->r.n_warnings, r->r.problem.n ? "; " : "", STR_ARG(r->r.problem));
	for (size_t i = 0; i < r->r.n_sites; i++)
		site_row(s, &r->r.findings[r->r.sites[i].i_first], r->r.sites[i].n);
	*n = 1;
	return s;
}

static void facts_of(void *report, struct fact_set *out, const struct reader_json_options *o)
{
	const struct opened *r = report;
	(void)o;
	out->unmodeled = r->r.unmodeled.n ? json_array(out->arena) : NULL;
	for (size_t i = 0; i < r->r.unmodeled.n; i++)
		json_push_str(out->unmodeled, r->r.unmodeled.entries[i].key);
	fact_add_count(out, "sanitizer.errors", "", r->r.n_errors);
	fact_add_count(out, "sanitizer.warnings", "", r->r.n_warnings);
}

static void json_of(void *report, struct json *out, const struct reader_json_options *o)
{
	const struct opened *r = report;
	(void)o;
	json_set(out, "sanitizer", sanitizer_json(&r->r, out->arena));
}

const struct reader reader_sanitizer = {
	.name = "sanitizer",
	.title = "compute-sanitizer output (text or XML)",
	.accepts = accepts,
	.open = open_report,
	.close = close_report,
	.damage = damage_of,
	.sheets = sheets_of,
	.facts = facts_of,
	.json = json_of,
};
