/* assay doctor: what this machine has for measuring, and what is missing.
 * In: what the user names and the backend to be ready for. Out: the preflight document, as text or JSON.
 * The work is collect/preflight.c.
 * Never: changes, downloads or sets up anything. */
#include <stddef.h>

#include "base/file.h"
#include "base/progress.h"
#include "collect/preflight.h"
#include "report/preflight_text.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	const char *backend, *nvcc_bin, *ncu_bin, *python, *out;
	int64_t gpu; /* -1: not given */
	bool torch;
};

static const struct opt_row rows[] = {
	{.name = "backend",
	 .type = OPT_ENUM,
	 .offset = offsetof(struct options, backend),
	 .choices = "c|cuda|cutlass|triton|torch",
	 .meta = "B",
	 .help = "Exit 3 unless all is there that this backend needs."},
	{.name = "gpu",
	 .type = OPT_I64,
	 .offset = offsetof(struct options, gpu),
	 .min = -1,
	 .max = 1023,
	 .meta = "I",
	 .help = "GPU number, as nvidia-smi counts; exit 3 unless it is there."},
	{.name = "nvcc-bin",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, nvcc_bin),
	 .meta = "FILE",
	 .flags = OPT_SETTABLE,
	 .help = "nvcc to look at; exit 3 unless it answers."},
	{.name = "ncu-bin",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, ncu_bin),
	 .meta = "FILE",
	 .flags = OPT_SETTABLE,
	 .help = "Nsight Compute to look at; exit 3 unless it answers."},
	{.name = "python",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, python),
	 .meta = "FILE",
	 .flags = OPT_SETTABLE,
	 .help = "Interpreter to look at; exit 3 unless it answers."},
	{.name = "torch",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, torch),
	 .help = "Really import torch and triton (seconds); exit 3 unless torch is there."},
	{.name = "out",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, out),
	 .meta = "DIR",
	 .help = "Also write preflight_check.json and preflight_check.md there."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .gpu = -1};
static const char *const examples[] = {"assay doctor", "assay doctor --backend c --out /tmp/preflight", NULL};

static unsigned needs_of(const struct options *o)
{
	static const struct {
		const char *backend;
		unsigned needs;
	} backends[] = {
		{"c", PREFLIGHT_CC},
		{"cuda", PREFLIGHT_GPU | PREFLIGHT_NVCC | PREFLIGHT_NCU | PREFLIGHT_COUNTERS},
		{"cutlass", PREFLIGHT_GPU | PREFLIGHT_NVCC | PREFLIGHT_NCU | PREFLIGHT_COUNTERS},
		{"triton", PREFLIGHT_GPU | PREFLIGHT_NCU | PREFLIGHT_COUNTERS | PREFLIGHT_PYTHON | PREFLIGHT_TORCH},
		{"torch", PREFLIGHT_GPU | PREFLIGHT_NCU | PREFLIGHT_COUNTERS | PREFLIGHT_PYTHON | PREFLIGHT_TORCH},
	};
	unsigned needs = (o->gpu >= 0 ? PREFLIGHT_GPU : 0u) | (o->nvcc_bin ? PREFLIGHT_NVCC : 0u) |
			 (o->ncu_bin ? PREFLIGHT_NCU : 0u) | (o->python ? PREFLIGHT_PYTHON : 0u) |
			 (o->torch ? PREFLIGHT_PYTHON | PREFLIGHT_TORCH : 0u);
	for (size_t i = 0; o->backend && i < COUNT_OF(backends); i++)
		needs |= strcmp(o->backend, backends[i].backend) == 0 ? backends[i].needs : 0u;
	return needs;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	unsigned needs = needs_of(o);
	struct preflight_options p = {.needs = needs,
				      .i_gpu = o->gpu < 0 ? 0 : o->gpu,
				      .nvcc = o->nvcc_bin,
				      .ncu = o->ncu_bin,
				      .python = o->python,
				      .ask_torch = (needs & PREFLIGHT_TORCH) != 0};
	struct preflight found;
	progress_begin("doctor");
	progress_phase("tools", 0);
	bool ok = preflight_run(&found, call->arena, &p, e);
	progress_end();
	if (!ok)
		return false;
	if (o->out && (!file_mkdirs(o->out, 0755, e) || !preflight_write(&found, o->out, e)))
		return false;
	if (o->common.json)
		verb_put_json(call, found.json);
	else
		preflight_text(found.json, &call->term, call->arena, call->out);
	call->status = found.missing ? err_exit(ERR_ENVIRONMENT) : 0;
	return true;
}

static const struct opt_spec spec = {
	.verb = "doctor",
	.summary = "Says what this machine has for measuring, and what an absence costs.",
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "Without options nothing is required and the exit status is 0. GPUs are described through NVML, so "
		 "that "
		 "no memory of theirs is taken. Versions are remembered until the tool's file changes.",
};
const struct verb verb_doctor = {&spec, &defaults, run, 0};
