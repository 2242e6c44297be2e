/* What the verb `read` prints.
 * In: an open report, or sheets.
 * Out: text, CSV or JSON in the call's output.
 * Never: drops a row without saying how many there are and what they add up to. */
#include "base/log.h"
#include "verb/read_job.h"
#include "verb/read_timeline.h"

#define TOKEN_BYTES 4 /* --budget: bytes of English text and numbers to a token, about */
#define JSON_TOP 100  /* rows of a timeline sheet in JSON, unless --top says otherwise */

static void flush(void *ctx, struct buf *out)
{
	(void)out; /* call->out itself */
	verb_flush(ctx);
}

static bool not_offered(const struct read_job *j, const char *what, struct err *e)
{
	return err_set(e, ERR_USAGE, "%s: a %s has no %s", j->path, j->reader->title, what);
}

static struct sheet_view view_of(const struct read_options *o)
{
	return (struct sheet_view){.filter = o->filter, .sort = o->sort, .top = (size_t)o->top, .columns = o->columns};
}

static double total_of(const struct sheet *s, size_t column)
{
	double sum = 0;
	for (size_t i = 0; i < s->n_rows; i++)
		sum += s->cells[i * s->n_columns + column].v;
	return sum;
}

static size_t share_column(const struct sheet *s)
{
	for (size_t c = 0; c < s->n_columns; c++) {
		if (s->columns[c].flags & SHEET_SHARE)
			return c;
	}
	return SIZE_MAX;
}

/* A sheet that is filtered and sorted, and how much of it is shown. */
struct shown {
	struct sheet *s;
	size_t n_before, n_all, n_top; /* rows: of the report, that pass the filter, of these by the options */
	double total;
	bool is_first;
};

static bool prepare(struct shown *out, struct sheet *s, const struct read_options *o, bool is_first, struct err *e)
{
	struct sheet_view whole = view_of(o), none = {0};
	size_t share = share_column(s);
	*out = (struct shown){.s = s, .is_first = is_first, .n_before = s->n_rows};
	whole.top = 0;
	if (o->common.json)
		whole.columns = NULL;
	none.filter = whole.filter;
	/* what is sorted and cut is the first table */
	if (!sheet_apply(s, is_first ? &whole : &none, &out->n_all, e))
		return false;
	out->total = share == SIZE_MAX ? 0 : total_of(s, share);
	out->n_top = is_first && o->top && (size_t)o->top < s->n_rows ? (size_t)o->top : s->n_rows;
	return true;
}

static void put_text(const struct shown *p, size_t most, const struct read_options *o, struct verb_call *call,
		     struct buf *out)
{
	struct sheet s = *p->s;
	size_t share = share_column(&s);
	s.n_rows = p->n_top < most ? p->n_top : most;
	const char *note = o->budget ? NULL : s.note;
	term_lines(out, &call->term,
		   str_from(arena_printf(call->arena, "%s%s%s\n", s.title, note ? ": " : "", note ? note : "")), 2);
	if (s.n_rows)
		sheet_text(&s, p->is_first ? o->columns : NULL, &call->term, out);
	if (s.n_rows < p->n_all && p->total > 0)
		buf_printf(out, "%zu of %zu rows, %.1f %% of %s %s\n", s.n_rows, p->n_all,
			   100 * total_of(&s, share) / p->total, s.columns[share].title,
			   str_is(str_from(s.columns[share].unit), "ns") ? term_time(call->arena, p->total)
									 : arena_printf(call->arena, "%.0f", p->total));
	else if (s.n_rows < p->n_all)
		buf_printf(out, "%zu of %zu rows\n", s.n_rows, p->n_all);
	else if (!p->n_all && p->n_before && p->is_first)
		buf_printf(out, "no \"%s\" here: %zu rows do not match --filter\n", o->filter, p->n_before);
}

static void put_all_text(const struct shown *p, size_t n, size_t most, const struct read_options *o,
			 struct verb_call *call)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_char(call->out, '\n');
		put_text(&p[i], most, o, call, call->out);
	}
}

/* With --budget: as many rows of each table as fit. */
static void fit_text(const struct shown *p, size_t n, const struct read_options *o, struct verb_call *call)
{
	size_t most = 0, at = call->out->n;
	for (size_t i = 0; i < n; i++)
		most = p[i].n_top > most ? p[i].n_top : most;
	for (;; most /= 2) {
		call->out->n = at;
		put_all_text(p, n, most, o, call);
		if (!o->budget || !most || call->out->n - at <= (size_t)o->budget * TOKEN_BYTES)
			return;
	}
}

static struct json *sheet_document(const struct shown *p, size_t most, struct arena *a)
{
	struct sheet s = *p->s;
	size_t share = share_column(&s);
	s.n_rows = p->n_top < most ? p->n_top : most;
	struct json *j = sheet_json(&s, a);
	json_set_u64(j, "n_rows", p->n_all);
	if (share != SIZE_MAX && s.n_rows < p->n_all) {
		struct json *total = json_set_object(j, "total");
		json_set_cstr(total, "column", s.columns[share].name);
		json_set_f64(total, "value", p->total);
		json_set_f64(total, "shown", total_of(&s, share));
	}
	return j;
}

static struct json *sheets_document(const struct shown *p, size_t n, size_t most, struct arena *a)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < n; i++)
		json_push(list, sheet_document(&p[i], most, a));
	return list;
}

static size_t json_bytes(const struct json *j)
{
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	size_t n = b.n;
	buf_release(&b);
	return n;
}

/* doc gets "tables"; with --budget as many rows of each as fit. */
static void fit_json(struct json *doc, const struct shown *p, size_t n, const struct read_options *o, struct arena *a)
{
	size_t most = 0;
	for (size_t i = 0; i < n; i++)
		most = p[i].n_top > most ? p[i].n_top : most;
	for (;; most /= 2) {
		json_set(doc, "tables", sheets_document(p, n, most, a));
		if (!o->budget || !most || json_bytes(doc) <= (size_t)o->budget * TOKEN_BYTES)
			return;
	}
}

static bool prepare_all(struct shown **out, struct sheet *s, size_t n, const struct read_options *o, struct arena *a,
			struct err *e)
{
	*out = ARENA_ARRAY(a, n + 1, struct shown);
	for (size_t i = 0; i < n; i++) {
		if (!prepare(&(*out)[i], &s[i], o, i == 0, e))
			return false;
		if (o->common.json && !(*out)[i].is_first && read_timeline_is(s[i].name) && !o->top &&
		    (*out)[i].n_top > JSON_TOP)
			(*out)[i].n_top = JSON_TOP;
		if (o->common.json && o->top && (size_t)o->top < (*out)[i].n_top)
			(*out)[i].n_top = (size_t)o->top;
	}
	return true;
}

bool read_print_sheets(const struct read_options *o, struct verb_call *call, struct json *doc, struct sheet *s,
		       size_t n, struct err *e)
{
	struct shown *p;
	if (!prepare_all(&p, s, n, o, call->arena, e))
		return false;
	if (o->common.json) {
		fit_json(doc, p, n, o, call->arena);
		verb_put_json(call, doc);
		return true;
	}
	if (o->csv && n != 1)
		return err_set(e, ERR_USAGE, "--csv prints one table; name it with --table");
	if (o->csv) {
		struct sheet one = s[0];
		one.n_rows = p[0].n_top;
		sheet_csv(&one, o->columns, call->out);
		return true;
	}
	fit_text(p, n, o, call);
	return true;
}

bool read_print_text(struct read_job *j, struct err *e)
{
	struct sheet *s;
	size_t n;
	if (j->o->details) {
		if (!j->reader->details)
			return not_offered(j, "details page", e);
		j->reader->details(j->report, j->call->out);
		return true;
	}
	if (!read_job_sheets(j, &s, &n, e))
		return false;
	if (j->o->budget)
		buf_printf(j->call->out, "source of every number: %s (%s)\n", j->path, j->reader->title);
	if (!read_print_sheets(j->o, j->call, NULL, s, n, e))
		return false;
	if (j->reader->trace && !j->o->table && !j->o->metrics && !j->has_trace)
		buf_puts(j->call->out, "\nthe timeline of a file of this size comes with --table timeline\n");
	if (*j->damage.derived)
		buf_printf(j->call->out, "derived: %s; not the original\n", j->damage.derived);
	if (j->damage.is_unverified)
		buf_printf(j->call->out, "unverified: %s is not covered by assay's tests\n", j->damage.version);
	return true;
}

bool read_print_csv(struct read_job *j, struct err *e)
{
	const struct read_options *o = j->o;
	struct sheet *s;
	size_t n;
	if (j->reader->csv && !o->table && !o->metrics && !o->filter && !o->sort && !o->top && !o->columns) {
		j->reader->csv(j->report, j->call->out, flush, j->call);
		return true;
	}
	if (!read_job_sheets(j, &s, &n, e))
		return false;
	return read_print_sheets(o, j->call, NULL, s, o->table ? n : 1, e);
}

/* Facts of kernels that are not asked for. */
static void drop_filtered(struct fact_set *s, const char *filter)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct fact *f = &s->items[i];
		if ((f->scope != FACT_KERNEL && f->scope != FACT_LAUNCH) || sheet_match(f->subject, filter))
			s->items[n++] = *f;
	}
	s->n = n;
}

bool read_print_json(struct read_job *j, struct err *e)
{
	struct json *doc = read_document(j->a, "assay/read-v1", j->reader->name);
	struct reader_json_options jo = {.metrics = j->o->metrics, .filter = j->o->filter};
	struct fact_set facts;
	struct sheet *s;
	size_t n;
	json_set_cstr(doc, "file", j->path);
	if (*j->damage.text)
		json_set_cstr(doc, "damage", j->damage.text);
	if (*j->damage.derived)
		json_set_cstr(doc, "derived", j->damage.derived);
	struct read_options plain = *j->o;
	const struct read_options *given = j->o;
	plain.metrics = NULL;
	j->o = &plain;
	bool ok = read_job_sheets(j, &s, &n, e);
	j->o = given;
	if (!ok)
		return false;
	if (!j->o->budget) { /* facts and the tool's own records have no room in a budget */
		fact_set_init(&facts, j->a, j->reader->name);
		if (j->reader->facts)
			j->reader->facts(j->report, &facts, &jo);
		if (j->has_trace)
			timeline_facts(&facts, &j->timeline);
		if (j->o->filter)
			drop_filtered(&facts, j->o->filter);
		json_set(doc, "facts", fact_set_json(&facts, j->a));
		if (j->reader->json)
			j->reader->json(j->report, doc, &jo);
	}
	return read_print_sheets(j->o, j->call, doc, s, n, e);
}
