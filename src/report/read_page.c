/* The page of a profiler file.
 * In: the document that `assay read --json` prints, the first activities of its timeline. Out: a page, or Markdown.
 * Tables, columns and notes are those of the document, in its order.
 * Never: cuts a table without saying how many rows are left out. */
#include "report/read_page.h"

#include <math.h>

#include "base/file.h"
#include "report/rows.h"
#include "report/run_inside.h"

enum { MOST_ROWS = 1000, MOST_FACTS = 2000 };

static const struct json *list_of(const struct json *j, const char *path)
{
	const struct json *x = json_path(j, path);
	return x && x->type == JSON_ARRAY ? x : NULL;
}

static void put_value(const struct page *p, const struct json *v, struct str unit)
{
	if (v && v->type == JSON_STRING)
		html_cell(p->out, v->text, NULL);
	else if (v && json_is_number(v))
		html_number(p->out, str_is(unit, "ns") ? page_ms(p, v->real / 1e6) : page_number(p, v->real), v->real);
	else
		html_cell(p->out, v && v->type == JSON_BOOL ? str_from(v->boolean ? "yes" : "no") : STR("-"), NULL);
}

static bool is_numeric(const struct json *rows, struct str name)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct json *v = json_find(rows->items[i], name);
		if (v && v->type != JSON_NULL)
			return json_is_number(v);
	}
	return false;
}

static const char *headings_of(const struct page *p, const struct json *columns, const struct json *rows,
			       bool has_marks)
{
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < columns->n; i++) {
		struct str name = json_str(columns->items[i], "name", STR("?")),
			   unit = json_str(columns->items[i], "unit", STR(""));
		bool shows_unit = unit.n && !str_is(unit, "ns") && has_marks;
		buf_printf(&b, "%s%s%.*s%s%.*s", i ? "|" : "", has_marks && is_numeric(rows, name) ? ">" : "",
			   STR_ARG(name), shows_unit ? " " : "", shows_unit ? (int)unit.n : 0, unit.n ? unit.p : "");
	}
	const char *text = arena_printf(p->arena, "%.*s", (int)b.n, b.n ? b.p : "");
	buf_release(&b);
	return text;
}

static void put_table(const struct page *p, const struct json *t)
{
	const struct json *columns = list_of(t, "columns"), *rows = list_of(t, "rows");
	double n_all = json_f64(t, "n_rows", 0);
	const char *note = page_text(p, t, "note", "");
	const char *title = page_text(p, t, "title", page_text(p, t, "name", "?"));
	if (!columns || !rows || !rows->n) {
		page_note(p, arena_printf(p->arena, "%s: no rows%s%s.", title, *note ? "; " : "", note));
		return;
	}
	size_t n = rows->n < MOST_ROWS ? rows->n : MOST_ROWS;
	html_table(p->out, *note ? arena_printf(p->arena, "%s: %s", title, note) : title,
		   headings_of(p, columns, rows, true));
	for (size_t i = 0; i < n; i++) {
		html_row(p->out);
		for (size_t k = 0; k < columns->n; k++)
			put_value(p, json_find(rows->items[i], json_str(columns->items[k], "name", STR("?"))),
				  json_str(columns->items[k], "unit", STR("")));
		html_row_end(p->out);
	}
	html_table_end(p->out);
	if (n_all > (double)n)
		page_note(p, arena_printf(p->arena, "%s: %.0f of %.0f rows are left out; `assay read` prints them.",
					  title, n_all - (double)n, n_all));
}

static void put_tables(const struct page *p)
{
	const struct json *tables = list_of(p->manifest, "tables");
	for (size_t i = 0; tables && i < tables->n; i++)
		put_table(p, tables->items[i]);
	if (!tables || !tables->n)
		page_note(p, "The file has no tables.");
}

static void put_timeline(const struct page *p)
{
	const struct read_excerpt *x = p->context;
	if (!x->n_all) {
		page_note(p, "The file has no timeline.");
		return;
	}
	page_note(p, arena_printf(p->arena, "The first %zu of %zu activities.", x->n, x->n_all));
	chart_timeline(
		p->out, p->arena, x->x, x->n,
		"Activities of the device by stream; zero is the start of the first one. A claim of the profiler.");
}

static void put_facts(const struct page *p)
{
	const struct json *facts = list_of(p->manifest, "facts.facts");
	size_t n = facts ? facts->n : 0;
	html_table(p->out, "Every fact, as `assay read --json` prints it",
		   "fact|scope|subject|>value|unit|aggregation|source");
	for (size_t i = 0; i < n && i < MOST_FACTS; i++) {
		const struct json *f = facts->items[i];
		html_row(p->out);
		html_cell(p->out, json_str(f, "id", STR("?")), NULL);
		html_cell(p->out, json_str(f, "scope", STR("-")), NULL);
		html_cell(p->out, json_str(f, "subject", STR("")), NULL);
		put_value(p, json_get(f, "value"), STR(""));
		html_cell(p->out, json_str(f, "unit", STR("")), NULL);
		html_cell(p->out, json_str(f, "aggregation", STR("")), NULL);
		html_cell(p->out, json_str(f, "source", STR("")), NULL);
		html_row_end(p->out);
	}
	html_table_end(p->out);
	if (n > MOST_FACTS)
		page_note(p, arena_printf(p->arena, "%zu of %zu facts are left out.", n - MOST_FACTS, n));
}

static void put_file(const struct page *p)
{
	html_table(p->out, "The file", "fact|value");
	page_members(p, "", p->manifest);
	page_members(p, "assay ", json_get(p->manifest, "tool"));
	html_table_end(p->out);
}

static const struct page_section sections[] = {
	{"tables", "Tables", put_tables},
	{"timeline", "Timeline", put_timeline},
	{"facts", "Facts", put_facts},
	{"file", "File", put_file},
};

/* The first row of the first table is what takes most, in every reader. */
static const char *first_line(const struct page *p)
{
	const struct json *tables = list_of(p->manifest, "tables"), *t = tables ? json_at(tables, 0) : NULL;
	return arena_printf(p->arena, "%s: %s of %.0f row%s, %zu facts.", page_text(p, p->manifest, "reader", "?"),
			    page_text(p, t, "title", "no table"), json_f64(t, "n_rows", 0),
			    json_f64(t, "n_rows", 0) == 1 ? "" : "s",
			    list_of(p->manifest, "facts.facts") ? list_of(p->manifest, "facts.facts")->n : 0);
}

static struct json *copy_of(struct arena *a, const struct json *doc)
{
	struct json *m = json_object(a);
	for (size_t i = 0; i < doc->n; i++)
		json_put(m, doc->members[i].key, doc->members[i].value);
	return m;
}

void read_page(struct buf *out, struct arena *a, const char *path, const struct json *doc,
	       const struct read_excerpt *excerpt)
{
	struct page p = {.out = out, .arena = a, .file = path, .context = excerpt, .manifest = copy_of(a, doc)};
	const char *damage = page_text(&p, doc, "damage", NULL);
	html_begin(out, str_from(arena_printf(a, "assay: %s", path_base(path))));
	page_head(&p, path_base(path),
		  damage ? arena_printf(a, "%s Damaged: %s", first_line(&p), damage) : first_line(&p), !damage);
	page_note(&p, "What a profiler says: claim layer diagnostic, no verdict on a time.");
	page_sections(&p, sections, COUNT_OF(sections));
	html_end(out);
}

static void put_md_cell(struct rows *r, const struct page *p, const struct json *v)
{
	if (v && json_is_number(v))
		rows_cell(r, str_from(page_number(p, v->real)));
	else
		rows_cell(r, v && v->type == JSON_STRING ? v->text : STR(""));
}

void read_rows(struct buf *out, struct arena *a, const char *path, const struct json *doc)
{
	struct page p = {.out = out, .arena = a, .manifest = copy_of(a, doc)};
	struct rows r = {.out = out, .is_md = true};
	const struct json *tables = list_of(doc, "tables");
	buf_printf(out, "# %s\n\n%s\n", path_base(path), first_line(&p));
	for (size_t i = 0; tables && i < tables->n; i++) {
		const struct json *t = tables->items[i], *columns = list_of(t, "columns"), *rows = list_of(t, "rows");
		if (!columns || !rows || !rows->n)
			continue;
		size_t n = rows->n < MOST_ROWS ? rows->n : MOST_ROWS;
		buf_printf(out, "\n## %s\n\n", page_text(&p, t, "title", "?"));
		rows_head(&r, headings_of(&p, columns, rows, false));
		for (size_t k = 0; k < n; k++) {
			for (size_t c = 0; c < columns->n; c++)
				put_md_cell(&r, &p,
					    json_find(rows->items[k], json_str(columns->items[c], "name", STR("?"))));
			rows_end(&r);
		}
		if (json_f64(t, "n_rows", 0) > (double)n)
			buf_printf(out, "\n%.0f of %.0f rows are left out.\n", json_f64(t, "n_rows", 0) - (double)n,
				   json_f64(t, "n_rows", 0));
	}
}
