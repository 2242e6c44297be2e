/* assay import: a kernel written for another place becomes files that bench, compare and optimize take.
 * In: a problem and a solution. Out: kernel, data and reference, and the command that uses them.
 * The work is measure/import.c.
 * Never: overwrites a file. */
#include <stddef.h>

#include "base/progress.h"
#include "measure/import.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *to, *python;
	double timeout_s;
};

static const struct opt_row rows[] = {
	{.name = "to",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, to),
	 .meta = "FOLDER",
	 .help = "Where the files go."},
	{.name = "python",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, python),
	 .meta = "PATH",
	 .flags = OPT_SETTABLE,
	 .help = "Interpreter that has torch."},
	{.name = "timeout",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, timeout_s),
	 .min = 0.1,
	 .max = 86400,
	 .meta = "S",
	 .flags = OPT_SETTABLE,
	 .help = "Seconds for running the problem file."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .to = ".", .timeout_s = 300};
static const char *const examples[] = {
	"assay import examples/formats/kernelbench/scale_relu.py examples/formats/kernelbench/scale_relu_new.py --to "
	"imported",
	NULL,
};

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct import_options x = {.problem = o->args.items[0],
				   .solution = o->args.n > 1 ? o->args.items[1] : NULL,
				   .to = o->to,
				   .python = o->python,
				   .timeout_ns = (int64_t)(o->timeout_s * 1e9)};
	struct import_files files;
	progress_begin("import");
	progress_phase("the problem runs", o->timeout_s);
	bool ok = import_run(&files, call->arena, &x, e);
	progress_end();
	if (!ok)
		return false;
	if (o->common.json) {
		struct json *j = json_object(call->arena);
		json_set_cstr(j, "format", "assay/import-v1");
		json_set_cstr(j, "from", files.format);
		json_set_cstr(j, "kernel", files.kernel);
		json_set_cstr(j, "setup", files.setup);
		json_set_cstr(j, "reference", files.reference);
		json_set_cstr(j, "op_file", files.op_file);
		json_set_u64(j, "n_cases", files.n_cases);
		struct json *notes = json_set_array(j, "notes");
		for (size_t i = 0; files.notes && i < files.notes->n; i++)
			json_push_str(notes, files.notes->items[i]->text);
		verb_put_json(call, j);
		return true;
	}
	buf_printf(call->out, "%s, %llu case(s): %s (kernel), %s (operator), %s (data), %s (reference)\n", files.format,
		   (unsigned long long)files.n_cases, files.kernel, files.op_file, files.setup, files.reference);
	for (size_t i = 0; files.notes && i < files.notes->n; i++)
		buf_printf(call->out, "note: %.*s\n", STR_ARG(files.notes->items[i]->text));
	buf_printf(call->out, "assay bench %s --setup %s --ref %s\n", files.kernel, files.setup, files.reference);
	return true;
}

static const struct opt_spec spec = {
	.verb = "import",
	.summary = "Makes a kernel of another project's format into files of assay.",
	.positional = "PROBLEM [SOLUTION]",
	.min_args = 1,
	.max_args = 2,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "Formats: LeetGPU, Tensara, GPU MODE, flashinfer-trace and SOL-ExecBench, KernelBench, robust-kbench, "
		 "TritonBench-G (docs/FORMATS.md says which files and what is taken "
		 "from them). The "
		 "problem is run "
		 "in a sandboxed process to learn its inputs; the solution is not run, and its file holds nothing of "
		 "the "
		 "problem. bench, compare, optimize and check take --problem PROBLEM and do this themselves.",
};
const struct verb verb_import = {&spec, &defaults, run, 0};
