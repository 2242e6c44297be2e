/* The verb `read`: any report as facts.
 * In: files and what to show of them.
 * Out: tables, CSV or one JSON document on stdout.
 * Never: runs a profiler, or needs a GPU. */
/* table: option rows */
#include "base/log.h"
#include "base/progress.h"
#include "verb/read_file.h"
#include "verb/verbs.h"

#define ROW(field_, type_) .name = #field_, .type = (type_), .offset = offsetof(struct read_options, field_)
static const struct opt_row rows[] = {
	{ROW(details, OPT_FLAG), .letter = 'd', .help = "The long text: sections, metrics and rules of the tool."},
	{ROW(metrics, OPT_STRING), .letter = 'm', .meta = "PATTERN",
	 .help = "The metrics whose name holds PATTERN (* and ? allowed)."},
	{ROW(table, OPT_STRING), .meta = "NAME", .help = "The table of that name; all for every one."},
	{ROW(filter, OPT_STRING), .letter = 'f', .meta = "PATTERN",
	 .help = "Only kernels whose name holds PATTERN (* and ? allowed)."},
	{ROW(sort, OPT_STRING), .meta = "COLUMN", .help = "Largest first by this column; -COLUMN: smallest first."},
	{ROW(top, OPT_I64), .letter = 'n', .meta = "N", .max = 1e9, .help = "Only the first N rows; 0: all."},
	{ROW(columns, OPT_STRING), .meta = "LIST", .help = "The columns to show, by name, with commas between."},
	{ROW(csv, OPT_FLAG), .letter = 'c',
	 .help = "CSV; of an Nsight Compute report its raw page in base units, unless --table or --metrics is given."},
	{ROW(diff, OPT_FLAG),
	 .help = "Two files of one kind, before and after: what changed, kernel by kernel and metric by metric."},
	{ROW(join, OPT_FLAG), .help = "A trace, Nsight Compute reports, binaries, compiler logs: one row a kernel, "
				      "with what each of them knows."},
	{ROW(budget, OPT_I64), .meta = "N", .max = 1e9,
	 .help = "At most about N tokens (4 bytes each): fewer rows of each table, totals kept."},
	{ROW(perfetto, OPT_STRING), .meta = "FILE",
	 .help = "Also write the timeline as Chrome JSON, for Perfetto and chrome://tracing."},
	{ROW(saving, OPT_LIST), .meta = "PATTERN=PCT[+PCT]",
	 .help = "Amdahl's ceiling when what matches gets PCT shorter (and PCT of the whole is added)."},
	{ROW(steps, OPT_STRING), .meta = "PATTERN", .help = "Ranges whose name matches are steps."},
	VERB_COMMON_ROWS,
};
static const struct read_options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {
	"assay read tests/data/ncu/sm_targeted.ncu-repz",
	"assay read tests/data/ncu/sm_targeted.ncu-repz --metrics 'dram__bytes*' --filter softmax",
	"assay read tests/data/ncu/gather.ncu-repz --details",
	"assay read tests/data/ncu/nvtx.ncu-repz --csv --table kernels --sort time_ns",
	"assay read tests/data/kineto/generated.json --table idle",
	"assay read tests/data/kineto/generated.json --saving 'softmax=30%'",
	NULL,
};

static bool one_file(const struct read_options *o, struct verb_call *call, struct err *e)
{
	struct read_job j;
	bool ok = read_job_open(&j, o, call, o->files.items[0], e) && (o->common.json ? read_print_json(&j, e)
								       : o->csv       ? read_print_csv(&j, e)
										      : read_print_text(&j, e));
	if (ok && o->perfetto)
		ok = read_job_timeline(&j, e) && read_write_chrome(o->perfetto, &j, 1, NULL, e);
	if (ok && *j.damage.text) {
		log_note("%s: %s", j.path, j.damage.text);
		call->status = err_exit(ERR_INPUT);
	}
	read_job_close(&j);
	return ok;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct read_options *o = options;
	if (o->diff && o->files.n != 2)
		return err_set(e, ERR_USAGE, "--diff compares two files; %zu given", o->files.n);
	if (o->diff && o->join)
		return err_set(e, ERR_USAGE, "--diff or --join, not both");
	progress_begin("read");
	bool ok = o->join          ? read_join(o, call, e)
		  : o->diff        ? read_diff(o, call, e)
		  : o->files.n > 1 ? read_ranks(o, call, e)
				   : one_file(o, call, e);
	progress_end();
	return ok;
}

static const struct opt_spec spec = {
	.verb = "read",
	.summary = "Reads a profiler report or a binary as facts.",
	.positional = "FILE [FILE ...]",
	.min_args = 1,
	.max_args = 4096,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct read_options),
	.args_offset = offsetof(struct read_options, files),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "A file that is damaged is read up to the damage; what stands before it is printed, the place is said "
		 "on "
		 "stderr and the exit status is 2. Several traces are the ranks of one job: their clocks are aligned "
		 "by the "
		 "collectives that all of them ran.",
};
const struct verb verb_read = {&spec, &defaults, run, 0};
