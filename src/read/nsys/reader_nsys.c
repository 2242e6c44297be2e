/* Nsight Systems exports as `assay read` shows them.
 * In: an opened export.
 * Out: its sheets and facts.
 * Never: reads a table that nobody asked for. */
#include "read/nsys/reader_nsys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/nsys/nsys.h"
#include "read/nsys/tables.h"
#include "read/nsys/to_trace.h"

#define N_MAIN 3 /* kernels, memory, api: the first of tables_names */

struct opened {
	struct nsys_report r;
	struct sheet *main; /* filled once */
	struct arena arena;
};

static bool accepts(struct str head, const char *path)
{
	(void)path;
	return nsys_is_database(head);
}

static void close_report(void *report)
{
	struct opened *o = report;
	nsys_release(&o->r);
	arena_release(&o->arena);
	free(o);
}

/* The main sheets are filled here, so that a table that is refused is refused at once. */
static void *open_report(const char *path, struct err *e)
{
	struct opened *o = calloc(1, sizeof(*o));
	if (!o)
		BUG("out of memory");
	arena_init(&o->arena);
	bool ok = nsys_open(&o->r, path, e);
	o->main = ARENA_ARRAY(&o->arena, N_MAIN, struct sheet);
	for (size_t i = 0; i < N_MAIN && ok; i++)
		ok = tables_fill(&o->main[i], i, &o->r, &o->arena, e);
	if (ok)
		return o;
	close_report(o);
	return NULL;
}

static void damage_of(const void *report, struct reader_damage *out)
{
	const struct nsys_report *r = &((const struct opened *)report)->r;
	*out = (struct reader_damage){.is_unverified = !r->is_verified};
	snprintf(out->version, sizeof(out->version), "nsys export schema %.*s",
		 STR_ARG(r->schema_version.n ? r->schema_version : STR("of no stated version")));
	snprintf(out->derived, sizeof(out->derived), "%.*s", STR_ARG(r->derived));
	if (r->damage.is_damaged)
		snprintf(out->text, sizeof(out->text), "%s", r->damage.reason);
}

static void failed_sheet(struct sheet *s, size_t i, struct arena *a, const struct err *e)
{
	static const struct sheet_column none[] = {{"name", "name", "", SHEET_TEXT | SHEET_KEY}};
	sheet_init(s, a, tables_names[i], none, 1);
	s->note = arena_strdup(a, e->text);
}

/* Views sort and cut a sheet in place. */
static struct sheet copy_of(const struct sheet *s, struct arena *a)
{
	struct sheet c = *s;
	size_t n = s->n_rows * s->n_columns;
	c.arena = a;
	c.cells = ARENA_ARRAY(a, n, struct sheet_cell);
	c.cap_rows = s->n_rows;
	if (n)
		memcpy(c.cells, s->cells, n * sizeof(*c.cells));
	return c;
}

static struct sheet *sheets_of(void *report, const char *table, struct arena *a, size_t *n)
{
	struct opened *o = report;
	struct sheet *s = ARENA_ARRAY(a, TABLES_COUNT, struct sheet);
	bool all = table && strcmp(table, "all") == 0;
	for (size_t i = 0; i < N_MAIN; i++)
		s[i] = copy_of(&o->main[i], a);
	*n = N_MAIN;
	for (size_t i = N_MAIN; i < TABLES_COUNT; i++) {
		struct err e = {0};
		bool trust = !table && strcmp(tables_names[i], "trust") == 0;
		if (!all && !trust && !(table && strcmp(table, tables_names[i]) == 0))
			continue;
		if (!tables_fill(&s[*n], i, &o->r, a, &e))
			failed_sheet(&s[*n], i, a, &e);
		s[*n].is_main |= trust;
		(*n)++;
	}
	return s;
}

static void add_real(struct fact_set *out, const char *id, const char *aggregation, const struct sheet *s, size_t row,
		     const char *column)
{
	for (size_t c = 0; c < s->n_columns; c++) {
		const struct sheet_cell *cell = &s->cells[row * s->n_columns + c];
		if (strcmp(s->columns[c].name, column) != 0 || !cell->has)
			continue;
		struct fact *f = fact_add(out, str_from(id), s->columns[c].unit, FACT_KERNEL);
		f->type = FACT_REAL;
		f->real = cell->v;
		f->aggregation = aggregation;
		f->subject = s->cells[row * s->n_columns].text;
		f->i_subject = (uint32_t)row;
		f->source = str_from(s->name);
	}
}

static void add_totals(struct fact_set *out, const struct sheet *s, const char *id, const char *id_count)
{
	double total = 0, count = 0;
	for (size_t i = 0; i < s->n_rows; i++) {
		total += s->cells[i * s->n_columns + 2].v; /* total_ns */
		count += s->cells[i * s->n_columns + 3].v; /* count */
	}
	fact_add_real(out, id, "ns", total);
	fact_add_count(out, id_count, "", (uint64_t)count);
}

static void facts_of(void *report, struct fact_set *out, const struct reader_json_options *options)
{
	struct opened *o = report;
	const struct sheet *kernels = &o->main[0];
	out->origin.tool = "nsys";
	out->origin.version = o->r.product_version;
	out->origin.is_verified = o->r.is_verified;
	out->origin.path = o->r.path;
	out->origin.derived = o->r.derived;
	out->unmodeled = nsys_unread(&o->r, out->arena);
	fact_add_text(out, "report.schema_version", o->r.schema_version);
	add_totals(out, kernels, "kernels.total", "kernels.count");
	add_totals(out, &o->main[1], "memory.total", "memory.count");
	add_totals(out, &o->main[2], "api.total", "api.count");
	fact_add_count(out, "trust.impossible_durations", "", o->r.n_impossible);
	if (o->r.damage.is_damaged)
		fact_add_text(out, "trust.damage", str_from(o->r.damage.reason));
	for (size_t i = 0; i < kernels->n_rows; i++) {
		if (options->filter && !sheet_match(kernels->cells[i * kernels->n_columns].text, options->filter))
			continue;
		add_real(out, "kernel.total", "sum", kernels, i, "total_ns");
		add_real(out, "kernel.launches", "count", kernels, i, "count");
		add_real(out, "kernel.duration", "mean", kernels, i, "mean_ns");
		add_real(out, "kernel.duration", "p50", kernels, i, "p50_ns");
		add_real(out, "kernel.duration", "p99", kernels, i, "p99_ns");
		add_real(out, "kernel.share", "ratio", kernels, i, "time_pct");
	}
}

static bool trace_of(void *report, struct trace *out, struct err *e)
{
	return nsys_to_trace(out, &((struct opened *)report)->r, e);
}

const struct reader reader_nsys = {
	.name = "nsys",
	.title = "Nsight Systems export (SQLite)",
	.accepts = accepts,
	.open = open_report,
	.close = close_report,
	.damage = damage_of,
	.sheets = sheets_of,
	.facts = facts_of,
	.trace = trace_of,
};
