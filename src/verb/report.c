/* assay report: a run, a folder of runs or a record as a page, or as CSV, text, JSON, Markdown.
 * In: paths. Out: one file each, or stdout.
 * The pages are report/run_page.c and compare_page.c, the index report/run_list.c.
 * Never: writes into the records. */
#include <stddef.h>

#include "base/file.h"
#include "base/log.h"
#include "base/output.h"
#include "base/proc.h"
#include "report/bench_text.h"
#include "report/compare_page.h"
#include "report/compare_text.h"
#include "report/run_list.h"
#include "report/run_page.h"
#include "report/target_page.h"
#include "store/object.h"
#include "verb/report_read.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *out, *format;
	bool open;
};

static const struct opt_row rows[] = {
	{.name = "out",
	 .letter = 'o',
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, out),
	 .meta = "FILE",
	 .help = "Where to write; without it report.html in the run folder (index.html for a folder of runs, NAME.html "
		 "beside "
		 "a record), other formats to stdout."},
	{.name = "format",
	 .type = OPT_ENUM,
	 .offset = offsetof(struct options, format),
	 .choices = "html|md|json|csv|txt",
	 .meta = "F",
	 .flags = OPT_SETTABLE,
	 .help = "Kind of report."},
	{.name = "open",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, open),
	 .help = "Show the page in the browser (xdg-open)."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .format = "html"};
static const char *const examples[] = {
	"assay report assay-runs/softmax_v0-20261129T120000Z",
	"assay report assay-runs/softmax_v0-20261129T120000Z --format=csv",
	"assay report assay-runs",
	"assay report compare.json -o compare.html",
	"assay report root -o root.html",
	"assay report trace.json -o trace.html",
	NULL,
};

static bool read_text(struct buf *out, struct verb_call *call, const char *path, struct err *e)
{
	struct str text;
	if (!file_read(call->arena, &text, path, 64u << 20, e))
		return false;
	buf_str(out, text);
	return true;
}

static bool is_format(const struct options *o, const char *name)
{
	return strcmp(o->common.json ? "json" : o->format, name) == 0;
}

static bool make_run(struct buf *out, const struct options *o, struct verb_call *call, const char *path, struct err *e)
{
	struct arena *a = call->arena;
	if (is_format(o, "json"))
		return read_text(out, call, path_join(a, path, "run_manifest.json"), e);
	if (is_format(o, "md"))
		return read_text(out, call, path_join(a, path, "final_summary.md"), e);
	if (is_format(o, "csv"))
		return run_csv(out, a, path, e);
	if (is_format(o, "txt"))
		return run_txt(out, a, path, &call->term, e);
	struct store *s = store_open(NULL, e);
	bool ok = s && run_page(out, a, path, s, e);
	if (s)
		store_close(s);
	return ok;
}

/* Records that are a page of their own. */
static const struct record_kind {
	const char *format;
	void (*page)(struct buf *out, struct arena *a, const char *path, struct json *record, struct store *s);
	void (*rows)(struct buf *out, struct arena *a, struct json *record, bool is_md);
	void (*text)(const struct json *record, const struct term *term, struct arena *a, struct buf *out);
} kinds[] = {
	{"assay/bench-v1", bench_page, bench_rows, bench_text},
	{"assay/compare-v1", compare_page, compare_rows, compare_text},
};

static const struct record_kind *kind_of(const struct json *record)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (str_is(json_str(record, "format", STR("")), kinds[i].format))
			return &kinds[i];
	}
	return NULL;
}

static bool make_record(struct buf *out, const struct options *o, struct verb_call *call, const char *path,
			struct err *e)
{
	struct arena *a = call->arena;
	struct json *record = json_read_file(a, path, JSON_STRICT, e);
	const struct record_kind *kind = kind_of(record);
	if (!record)
		return false;
	struct str format = json_str(record, "format", STR("none"));
	if (!kind)
		return err_set(e, ERR_INPUT,
			       "%s: its format is %.*s; a page is made of a run folder, a folder of runs, an evidence "
			       "root, a file that assay read takes, or a record of assay bench (assay/bench-v1) or "
			       "assay compare (assay/compare-v1)",
			       path, STR_ARG(format));
	if (is_format(o, "json"))
		return read_text(out, call, path, e);
	if (is_format(o, "md") || is_format(o, "csv")) {
		kind->rows(out, a, record, is_format(o, "md"));
		return true;
	}
	if (is_format(o, "txt")) {
		kind->text(record, &call->term, a, out);
		return true;
	}
	struct store *s = store_open(NULL, e);
	if (!s)
		return false;
	kind->page(out, a, path, record, s);
	store_close(s);
	return true;
}

static bool make_target(struct buf *out, const struct options *o, struct verb_call *call, const char *path,
			struct err *e)
{
	if (is_format(o, "json"))
		return read_text(out, call, path_join(call->arena, path, "target.json"), e);
	if (is_format(o, "html"))
		return target_page(out, call->arena, path, e);
	if (is_format(o, "txt"))
		return err_set(
			e, ERR_USAGE,
			"--format=txt: an evidence root has html, md, csv and json; `assay status ROOT` is its text");
	return target_rows(out, call->arena, path, is_format(o, "md"), e);
}

static bool make(struct buf *out, const struct options *o, struct verb_call *call, const char *path, struct err *e)
{
	if (file_is_dir(path) && target_is_root(call->arena, path))
		return make_target(out, o, call, path, e);
	if (file_is_dir(path))
		return make_run(out, o, call, path, e);
	return report_read_is(path) ? report_read(out, call, path, o->common.json ? "json" : o->format, e)
				    : make_record(out, o, call, path, e);
}

static bool is_index(struct verb_call *call, const char *path)
{
	return file_is_dir(path) && !file_exists(path_join(call->arena, path, "run_manifest.json")) &&
	       run_is_index(call->arena, path);
}

/* Where a page goes without --out. */
static const char *page_path(struct verb_call *call, const char *arg, bool is_of_many)
{
	if (file_is_dir(arg) && target_is_root(call->arena, arg)) /* nothing of ours goes among the evidence */
		return arena_printf(call->arena, "%s.html", path_absolute(call->arena, arg));
	if (file_is_dir(arg))
		return path_join(call->arena, arg, is_of_many ? "index.html" : "report.html");
	return arena_printf(call->arena, "%s/%s.html", path_dir(call->arena, arg), path_stem(call->arena, arg));
}

/* The opener is waited for: it hands over to the browser and ends. */
static bool open_page(struct verb_call *call, const char *path, struct err *e)
{
	const char *opener = path_which(call->arena, "xdg-open", NULL);
	if (!opener)
		return err_set(e, ERR_ENVIRONMENT, "--open: there is no xdg-open here; the page is %s", path);
	const char *const argv[] = {opener, path_absolute(call->arena, path), NULL};
	struct proc_result r;
	bool ok = proc_run(&r, &(struct proc_options){.argv = argv, .timeout_ns = 20000000000}, e);
	if (ok && r.exit_status != 0)
		ok = err_set(e, ERR_ENVIRONMENT, "--open: xdg-open ended with %s; the page is %s",
			     proc_describe(call->arena, &r), path);
	proc_result_release(&r);
	return ok;
}

static bool report_one(const struct options *o, struct verb_call *call, const char *arg, struct err *e)
{
	bool is_html = is_format(o, "html");
	if (!file_exists(arg))
		return err_set(e, ERR_INPUT, "%s: there is no such run folder or record", arg);
	bool is_of_many = is_html && is_index(call, arg);
	const char *path = o->out ? o->out : is_html ? page_path(call, arg, is_of_many) : NULL;
	const char *whole = path_absolute(call->arena, arg);
	struct buf page;
	buf_init(&page);
	bool ok = is_of_many ? run_index(&page, call->arena, whole, e) : make(&page, o, call, whole, e);
	if (ok && path)
		ok = output_write(path, buf_view(&page), e);
	if (ok && path)
		buf_printf(call->out, "%s\n", path);
	else if (ok)
		buf_str(call->out, buf_view(&page));
	buf_release(&page);
	return ok && (!o->open || !is_html || open_page(call, path, e));
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	if (o->args.n > 1 && (o->out || o->common.json || strcmp(o->format, "html") != 0))
		return err_set(e, ERR_USAGE,
			       "report: several runs at once give pages, each in its own folder: no --out, no "
			       "other --format");
	for (size_t i = 0; i < o->args.n; i++) {
		if (!report_one(o, call, o->args.items[i], e))
			return false;
	}
	return true;
}

static const struct opt_spec spec = {
	.verb = "report",
	.summary = "Makes one self-contained page of a run.",
	.positional = "RUN...",
	.min_args = 1,
	.max_args = SIZE_MAX,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "RUN is a run folder, a folder of runs (an index page), the evidence root of a Target, a file that "
		 "assay read takes, or the JSON "
		 "record of one assay bench or assay "
		 "compare.",
};
const struct verb verb_report = {&spec, &defaults, run, 0};
