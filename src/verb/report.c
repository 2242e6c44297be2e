/* assay report: a run folder as a page, or as CSV, JSON, Markdown.
 * In: a run folder. Out: one file.
 * The page is report/run_page.c.
 * Never: writes into the run's records. */
#include <stddef.h>

#include "base/file.h"
#include "report/run_page.h"
#include "store/object.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *out, *format;
};

static const struct opt_row rows[] = {
	{.name = "out",
	 .letter = 'o',
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, out),
	 .meta = "FILE",
	 .help = "Where to write; without it report.html in the run folder, other formats to stdout."},
	{.name = "format",
	 .type = OPT_ENUM,
	 .offset = offsetof(struct options, format),
	 .choices = "html|md|json|csv",
	 .meta = "F",
	 .help = "Kind of report."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .format = "html"};
static const char *const examples[] = {
	"assay report assay-runs/softmax_v0-20261129T120000Z",
	"assay report assay-runs/softmax_v0-20261129T120000Z --format=csv",
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

static bool make(struct buf *out, const struct options *o, struct verb_call *call, struct err *e)
{
	const char *folder = path_absolute(call->arena, o->args.items[0]);
	if (!file_is_dir(folder))
		return err_set(e, ERR_INPUT, "%s: is no run folder", o->args.items[0]);
	if (o->common.json || strcmp(o->format, "json") == 0)
		return read_text(out, call, folder, "run_manifest.json", e);
	if (strcmp(o->format, "md") == 0)
		return read_text(out, call, folder, "final_summary.md", e);
	if (strcmp(o->format, "csv") == 0)
		return run_csv(out, call->arena, folder, e);
	struct store *s = store_open(NULL, e);
	bool ok = s && run_page(out, call->arena, folder, s, e);
	if (s)
		store_close(s);
	return ok;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct buf page;
	bool is_html = strcmp(o->format, "html") == 0 && !o->common.json;
	const char *path = o->out ? o->out : is_html ? path_join(call->arena, o->args.items[0], "report.html") : NULL;
	buf_init(&page);
	bool ok = make(&page, o, call, e);
	if (ok && path)
		ok = file_write_str(path, buf_view(&page), e);
	if (ok && path)
		buf_printf(call->out, "%s\n", path);
	else if (ok)
		buf_str(call->out, buf_view(&page));
	buf_release(&page);
	return ok;
}

static const struct opt_spec spec = {
	.verb = "report",
	.summary = "Makes one self-contained page of a run.",
	.positional = "RUN",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_report = {&spec, &defaults, run, 0};
