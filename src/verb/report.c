/* assay report: a run, a folder of runs or a bench record as a page, or as CSV, text, JSON, Markdown.
 * In: paths. Out: one file each, or stdout.
 * The page is report/run_page.c, the index report/run_list.c.
 * Never: writes into the records. */
#include <stddef.h>

#include "base/file.h"
#include "base/log.h"
#include "base/output.h"
#include "base/proc.h"
#include "report/run_list.h"
#include "report/run_page.h"
#include "store/object.h"
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
	NULL,
};

static bool read_text(struct buf *out, struct verb_call *call, const char *folder, const char *name, struct err *e)
{
	struct str text;
	if (!file_read(call->arena, &text, path_join(call->arena, folder, name), 64u << 20, e))
		return false;
	buf_str(out, text);
	return true;
}

static bool make_html(struct buf *out, struct verb_call *call, const char *path, struct err *e)
{
	struct store *s = store_open(NULL, e);
	if (!s)
		return false;
	bool ok = file_is_dir(path) ? run_page(out, call->arena, path, s, e) : bench_page(out, call->arena, path, s, e);
	store_close(s);
	return ok;
}

static bool make(struct buf *out, const struct options *o, struct verb_call *call, const char *path, struct err *e)
{
	if (o->common.json || strcmp(o->format, "json") == 0)
		return read_text(out, call, path, "run_manifest.json", e);
	if (strcmp(o->format, "md") == 0)
		return read_text(out, call, path, "final_summary.md", e);
	if (strcmp(o->format, "csv") == 0)
		return run_csv(out, call->arena, path, e);
	if (strcmp(o->format, "txt") == 0)
		return run_txt(out, call->arena, path, &call->term, e);
	return make_html(out, call, path, e);
}

static bool is_index(struct verb_call *call, const char *path)
{
	return file_is_dir(path) && !file_exists(path_join(call->arena, path, "run_manifest.json")) &&
	       run_is_index(call->arena, path);
}

/* Where a page goes without --out. */
static const char *page_path(struct verb_call *call, const char *arg, bool is_of_many)
{
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
	bool is_html = strcmp(o->format, "html") == 0 && !o->common.json;
	if (!file_exists(arg) || (!is_html && !file_is_dir(arg)))
		return err_set(e, ERR_INPUT, "%s: is no run folder", arg);
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
	.notes = "RUN is a run folder, a folder of runs (an index page) or the JSON record of one assay bench.",
};
const struct verb verb_report = {&spec, &defaults, run, 0};
