/* The verb `read`: any report as facts.
 * In: a file and what to show of it.
 * Out: tables, CSV or one JSON document on stdout.
 * Never: runs a profiler, or needs a GPU. */
#include "base/log.h"
#include "base/version.h"
#include "read/reader.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list files;
	bool csv, details;
	const char *metrics, *filter, *sort, *columns, *table;
	int64_t top;
};
static const struct opt_row rows[] = {
	{.name = "details",
	 .letter = 'd',
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, details),
	 .help = "The long text: sections, metrics and rules of the tool."},
	{.name = "metrics",
	 .letter = 'm',
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, metrics),
	 .meta = "PATTERN",
	 .help = "The metrics whose name holds PATTERN (* and ? allowed)."},
	{.name = "table",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, table),
	 .meta = "NAME",
	 .help = "The table of that name; all for every one."},
	{.name = "filter",
	 .letter = 'f',
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, filter),
	 .meta = "PATTERN",
	 .help = "Only kernels whose name holds PATTERN (* and ? allowed)."},
	{.name = "sort",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, sort),
	 .meta = "COLUMN",
	 .help = "Largest first by this column; -COLUMN: smallest first."},
	{.name = "top",
	 .letter = 'n',
	 .type = OPT_I64,
	 .offset = offsetof(struct options, top),
	 .meta = "N",
	 .max = 1e9,
	 .help = "Only the first N rows; 0: all."},
	{.name = "columns",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, columns),
	 .meta = "LIST",
	 .help = "The columns to show, by name, with commas between."},
	{.name = "csv",
	 .letter = 'c',
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, csv),
	 .help = "CSV; of an Nsight Compute report its raw page in base units, unless --table or --metrics is given."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {
	"assay read tests/data/ncu/sm_targeted.ncu-repz",
	"assay read tests/data/ncu/sm_targeted.ncu-repz --metrics 'dram__bytes*' --filter softmax",
	"assay read tests/data/ncu/gather.ncu-repz --details",
	"assay read tests/data/ncu/nvtx.ncu-repz --csv --table kernels --sort time_ns",
	NULL,
};

struct job {
	const struct options *o;
	struct verb_call *call;
	const struct reader *reader;
	void *report;
	struct arena *a;
	struct reader_damage damage;
};

static void flush(void *ctx, struct buf *out)
{
	(void)out; /* call->out itself */
	verb_flush(ctx);
}

static bool not_offered(const struct job *j, const char *what, struct err *e)
{
	return err_set(e, ERR_USAGE, "%s: a %s has no %s", j->o->files.items[0], j->reader->title, what);
}

static struct sheet_view view_of(const struct options *o)
{
	return (struct sheet_view){.filter = o->filter, .sort = o->sort, .top = (size_t)o->top, .columns = o->columns};
}

/* The named one, or those that are shown when none is named. */
static size_t keep_wanted(struct sheet *all, size_t n, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (name ? str_is(str_from(name), all[i].name) : all[i].is_main)
			all[kept++] = all[i];
	}
	return kept;
}

/* The sheets that were asked for: *n of them from *first on. */
static bool choose_sheets(const struct job *j, struct sheet **first, size_t *n, struct err *e)
{
	if (j->o->metrics && !j->o->table) {
		if (!j->reader->metrics)
			return not_offered(j, "metrics", e);
		*first = j->reader->metrics(j->report, j->o->metrics, j->a);
		*n = 1;
		return true;
	}
	struct sheet *all = j->reader->sheets(j->report, j->o->table, j->a, n);
	const char *name = j->o->table;
	*first = all;
	if (name && str_is(str_from(name), "all"))
		return true;
	struct buf names;
	buf_init(&names);
	for (size_t i = 0; i < *n; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", all[i].name);
	*n = keep_wanted(all, *n, name);
	if (!*n)
		err_set(e, ERR_USAGE, "no table \"%s\" in %s; it has %s", name ? name : "", j->o->files.items[0],
			names.p);
	buf_release(&names);
	return *n > 0;
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

static bool print_sheet(const struct job *j, struct sheet *s, bool is_first, struct buf *out, struct err *e)
{
	struct sheet_view v = view_of(j->o), whole = {.filter = v.filter};
	size_t n_all, share = share_column(s);
	if (!is_first) /* what is sorted and cut is the first table */
		v = (struct sheet_view){0};
	if (!sheet_apply(s, &whole, &n_all, e))
		return false;
	double total = share == SIZE_MAX ? 0 : total_of(s, share);
	v.filter = NULL;
	if (!sheet_apply(s, &v, &n_all, e))
		return false;
	buf_printf(out, "%s%s%s\n", s->title, s->note ? ": " : "", s->note ? s->note : "");
	if (s->n_rows)
		sheet_text(s, is_first ? j->o->columns : NULL, &j->call->term, out);
	if (s->n_rows < n_all && total > 0)
		buf_printf(out, "%zu of %zu rows, %.1f %% of %s %s\n", s->n_rows, n_all,
			   100 * total_of(s, share) / total, s->columns[share].title,
			   str_is(str_from(s->columns[share].unit), "ns") ? term_time(j->a, total)
									  : arena_printf(j->a, "%.0f", total));
	else if (s->n_rows < n_all)
		buf_printf(out, "%zu of %zu rows\n", s->n_rows, n_all);
	return true;
}

static bool print_text(const struct job *j, struct buf *out, struct err *e)
{
	struct sheet *s;
	size_t n;
	if (j->o->details) {
		if (!j->reader->details)
			return not_offered(j, "details page", e);
		j->reader->details(j->report, out);
		return true;
	}
	if (!choose_sheets(j, &s, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_char(out, '\n');
		if (!print_sheet(j, &s[i], i == 0, out, e))
			return false;
	}
	if (j->damage.is_unverified)
		buf_printf(out, "unverified: %s is not covered by assay's tests\n", j->damage.version);
	return true;
}

static bool print_csv(const struct job *j, struct buf *out, struct err *e)
{
	struct sheet_view v = view_of(j->o);
	struct sheet *s;
	size_t n, n_all;
	if (j->reader->csv && !j->o->table && !j->o->metrics && !v.filter && !v.sort && !v.top) {
		j->reader->csv(j->report, out, flush, j->call);
		return true;
	}
	if (!choose_sheets(j, &s, &n, e))
		return false;
	if (j->o->table && n != 1)
		return err_set(e, ERR_USAGE, "--csv prints one table; name it with --table");
	if (!sheet_apply(s, &v, &n_all, e))
		return false;
	sheet_csv(s, out);
	return true;
}

static bool print_json(const struct job *j, struct err *e)
{
	struct json *doc = json_object(j->a), *sheets;
	struct sheet_view v = view_of(j->o);
	struct reader_json_options jo = {.metrics = j->o->metrics, .filter = j->o->filter};
	struct fact_set facts;
	size_t n, n_all;
	json_set_cstr(doc, "format", "assay/read-v1");
	json_set(doc, "tool", version_json(j->a));
	json_set_cstr(doc, "reader", j->reader->name);
	json_set_cstr(doc, "claim_layer", "diagnostic");
	json_set_bool(doc, "formal", false);
	if (*j->damage.text)
		json_set_cstr(doc, "damage", j->damage.text);
	sheets = json_set_array(doc, "tables");
	struct sheet *s = j->reader->sheets(j->report, NULL, j->a, &n);
	for (size_t i = 0; i < n; i++) {
		struct sheet_view one = v;
		one.columns = NULL;
		one.sort = i ? NULL : v.sort;
		if (!sheet_apply(&s[i], &one, &n_all, e))
			return false;
		json_push(sheets, sheet_json(&s[i], j->a));
	}
	fact_set_init(&facts, j->a, j->reader->name);
	if (j->reader->facts)
		j->reader->facts(j->report, &facts, &jo);
	json_set(doc, "facts", fact_set_json(&facts, j->a));
	if (j->reader->json)
		j->reader->json(j->report, doc, &jo);
	verb_put_json(j->call, doc);
	return true;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct job j = {.o = o, .call = call, .a = call->arena};
	j.report = reader_open(&j.reader, o->files.items[0], o->common.json ? NULL : o->table, e);
	if (!j.report)
		return false;
	j.reader->damage(j.report, &j.damage);
	bool ok = o->common.json ? print_json(&j, e)
		  : o->csv       ? print_csv(&j, call->out, e)
				 : print_text(&j, call->out, e);
	if (ok && *j.damage.text) {
		log_note("%s: %s", o->files.items[0], j.damage.text);
		call->status = err_exit(ERR_INPUT);
	}
	j.reader->close(j.report);
	return ok;
}

static const struct opt_spec spec = {
	.verb = "read",
	.summary = "Reads a profiler report or a binary as facts.",
	.positional = "FILE",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, files),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "A file that is damaged is read up to the damage; what stands before it is printed, the place is said "
		 "on "
		 "stderr and the exit status is 2.",
};
const struct verb verb_read = {&spec, &defaults, run, 0};
