/* What verbs with a kernel file share.
 * In: their options. Out: bench options.
 * One set of rows, one way of filling them in.
 * Never: measures. */
#include "verb/candidate.h"

#include "base/file.h"
#include "measure/import.h"

bool candidate_owns_data(const struct candidate_options *c, struct err *e)
{
	if (!c->ref && !c->setup && !c->op_file)
		return true;
	return err_set(e, ERR_USAGE, "--problem: it supplies data, reference and operator file: leave out %s",
		       c->ref     ? "--ref"
		       : c->setup ? "--setup"
				  : "--op-file");
}

bool candidate_import(struct candidate_options *c, const char **path, const struct verb_call *call, struct err *e)
{
	struct import_files files;
	if (!c->problem)
		return true;
	if (!candidate_owns_data(c, e))
		return false;
	struct import_options o = {.problem = c->problem,
				   .solution = *path,
				   .name = path_stem(call->arena, *path),
				   .python = c->python,
				   .timeout_ns = (int64_t)(c->timeout_s * 5e9)};
	if (!import_run(&files, call->arena, &o, e))
		return false;
	*path = files.kernel;
	c->ref = files.reference;
	c->setup = files.setup;
	c->op_file = files.op_file;
	return true;
}

void candidate_bench(struct bench_options *out, const struct candidate_options *c, const char *path,
		     const struct verb_call *call)
{
	*out = (struct bench_options){
		.input = {.path = path,
			  .op_file = c->op_file,
			  .ref = c->ref,
			  .backend = c->backend,
			  .entry = c->entry,
			  .dims = &c->dims,
			  .ptr_size = c->ptr_size,
			  .seed = (uint64_t)c->seed,
			  .atol = c->atol,
			  .rtol = c->rtol,
			  .flags = (isnan(c->atol) ? 0u : OPERATOR_HAS_ATOL) |
				   (isnan(c->rtol) ? 0u : OPERATOR_HAS_RTOL) | (c->setup ? OPERATOR_SETUP : 0u)},
		.program = call->program,
		.command = call->command,
		.store = c->store,
		.setup = c->setup,
		.python = c->python,
		.nvcc = c->nvcc_bin,
		.cupti = c->cupti,
		.flags = c->flags,
		.arch = c->arch,
		.i_gpu = c->gpu,
		.n_warmup = c->warmup,
		.n_repeat = c->repeat,
		.noise = c->noise_pct / 100,
		.budget_s = c->time_budget_s,
		.speedup_budget_s = c->speedup_budget_s,
		.timeout_s = c->timeout_s,
		.wait_s = c->wait_s,
		.max_memory_bytes = (uint64_t)c->max_memory_mb << 20,
		.evict_bytes = (uint64_t)c->evict_mib << 20,
		.forbid = c->forbid,
		.options = (c->no_cache ? BENCH_NO_CACHE : 0u) | (c->no_warm ? BENCH_NO_WARM : 0u) |
			   (c->no_battery ? BENCH_NO_BATTERY : 0u)};
}
