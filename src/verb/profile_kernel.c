/* A kernel file under a profiler, through assay's own runner.
 * In: a kernel file and the options.
 * Out: a report of one steady call; what its command names stays beside it.
 * Never: profiles a version that does not build. */
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "collect/perf.h"
#include "run/job.h"
#include "run/job_command.h"
#include "run/sandbox_env.h"
#include "store/lease.h"
#include "verb/dry_run.h"
#include "verb/profile_data.h"
#include "verb/profile_job.h"

struct job {
	const struct profile_job *p;
	const struct profile_verb *o;
	struct verb_call *call;
	struct arena *a;
	const char *folder;
	struct operator op;
	struct lab_device device;
	struct artifact artifact;
	struct candidate_options candidate;
	const char *path; /* of the kernel; with --problem what the import made of it */
	struct profile_data data;
	struct profile_collected got;
	bool is_over; /* the verdict is said */
};

static bool is_counted(const struct job *j)
{
	return !j->device.gpu;
}

/* The runner as the command: it makes its own tensors, calls the kernel, and brackets the last call. */
static bool run_job(struct job *j, const char *scratch, struct err *e)
{
	struct profile_options p = profile_job_options(j->p);
	const char *path = path_join(j->a, j->folder, "profile.job");
	struct job_options job = {.op = &j->op,
				  .backend = "cuda",
				  .library = j->artifact.library,
				  .symbol = j->artifact.symbol,
				  .returns_int = j->op.entry_returns_int,
				  .mode = "tool",
				  .n_warmup = 3,
				  .n_calls = 1,
				  .data = j->data.file};
	const char *shown[] = {arena_printf(j->a, "CUDA_VISIBLE_DEVICES=%s", j->device.gpu), NULL};
	struct sandbox_env_options env = {.folder = scratch, .gpu = j->device.gpu};
	p.command = job_argv(j->a, j->call->program, j->data.guest, path);
	p.shown = shown;
	p.flags |= PROFILE_FROM_START_OFF;
	p.env = sandbox_env(j->a, &env, e);
	return p.env && job_write(path, &job, e) && profile_run(&j->got, j->a, &p, e) &&
	       profile_show(&j->got, &j->o->common, j->call, e);
}

static bool run_perf(struct job *j, const char *scratch, struct err *e)
{
	struct perf_collect c = {.program = j->call->program,
				 .op = &j->op,
				 .library = j->artifact.library,
				 .symbol = j->artifact.symbol,
				 .returns_int = j->op.entry_returns_int,
				 .guest = j->data.guest,
				 .data = j->data.file,
				 .sha256 = j->artifact.sha256,
				 .folder = j->folder,
				 .scratch = scratch,
				 .timeout_s = j->o->candidate.timeout_s};
	struct perf_collected got;
	if (!perf_collect(&got, j->a, &c, e))
		return false;
	struct json *doc = json_object(j->a), *reports = json_set_array(doc, "reports");
	json_set_cstr(doc, "format", "assay/profile-v1");
	json_set_cstr(doc, "state", got.reason ? "tool_failed" : "collected");
	json_set_cstr(doc, "reason", got.reason);
	json_set_cstr(doc, "command", got.command);
	json_set_cstr(doc, "claim_layer", "diagnostic");
	json_set_bool(doc, "formal", false);
	json_set_f64(doc, "seconds", got.seconds);
	const char *paths[] = {got.targeted, got.full};
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		if (paths[i])
			json_push_str(reports, str_from(paths[i]));
		if (paths[i] && !j->o->common.json)
			buf_printf(j->call->out, "report   %s\n", paths[i]);
	}
	j->call->status = got.reason ? 1 : 0;
	if (j->o->common.json)
		verb_put_json(j->call, doc);
	else
		buf_printf(j->call->out, "%s%s\ncommand  %s\n", got.reason ? "tool_failed: " : "collected",
			   got.reason ? got.reason : "", got.command);
	return true;
}

/* The kernel is at fault: nothing is profiled. */
static void conclude(struct job *j, enum verdict v, const char *text)
{
	j->is_over = true;
	j->call->status = verdict_exit(v);
	buf_printf(j->call->out, "%s: %s\n", verdict_word(v), text && *text ? text : verdict_text(v));
}

static bool build(struct job *j, struct err *e)
{
	static const enum verdict verdicts[] = {VERDICT_PASSED, VERDICT_BUILD_FAILED, VERDICT_BUILD_TIMEOUT,
						VERDICT_NO_ENTRY};
	struct build_options b = {.source = j->path,
				  .language = j->op.backend == BACKEND_C ? BUILD_C : BUILD_CUDA,
				  .entry = arena_strndup(j->a, j->op.entry.p, j->op.entry.n),
				  .sm = j->device.sm,
				  .arch = j->o->candidate.arch,
				  .flags = j->o->candidate.flags,
				  .nvcc = j->o->candidate.nvcc_bin,
				  .folder = path_join(j->a, j->folder, "build"),
				  .name = "kernel",
				  .options = j->o->candidate.no_cache ? BUILD_NO_CACHE : 0u,
				  .cutlass = j->op.backend == BACKEND_CUTLASS};
	if (!build_make(&j->artifact, j->a, &b, e))
		return false;
	if (j->artifact.result != BUILD_OK)
		conclude(j, verdicts[j->artifact.result], j->artifact.message);
	return true;
}

static bool open_data(struct job *j, const struct bench_options *b, const char *scratch, struct err *e)
{
	struct profile_data_options o = {.bench = b, .gpu = j->device.gpu, .folder = j->folder, .scratch = scratch};
	if (!profile_data_open(&j->data, j->a, &j->op, &o, e))
		return false;
	if (j->data.verdict != VERDICT_PASSED)
		conclude(j, j->data.verdict, j->data.text);
	if (j->data.guest) {
		j->artifact = (struct artifact){.library = j->op.kernel.path,
						.symbol = arena_strndup(j->a, j->op.entry.p, j->op.entry.n)};
		memcpy(j->artifact.sha256, j->op.kernel.sha256, sizeof(j->artifact.sha256));
	}
	return true;
}

/* What assay's own runner cannot do is refused before anything is built. */
static bool read_job(struct job *j, struct bench_options *b, struct err *e)
{
	struct json *facts = NULL;
	candidate_bench(b, &j->candidate, j->path, j->call);
	if (!operator_read(&j->op, j->a, &b->input, e))
		return false;
	if (strcmp(j->o->tool, "torch") == 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: assay's own runner is profiled by ncu and nsys; torch.profiler looks at a program "
			       "that calls it: assay profile --tool torch -- python3 ...",
			       j->path);
	if (j->op.data == DATA_SETUP && j->op.form == OPERATOR_NATIVE && !b->setup)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s:%u: setup() would supply the data; one in C or CUDA is not run: an operator file "
			       "(--op-file) says the sizes instead, or a setup() in Python (--setup)",
			       j->path, j->op.setup_line);
	return device_choose(&j->device, &facts, j->a, operator_device(&j->op), b->i_gpu, e);
}

/* The runner as it will be called; of an interpreter only the name is known before it is asked. */
static const char *const *dry_runner(const struct job *j, const struct bench_options *b)
{
	bool is_python = j->op.linkage == LINKAGE_PYTHON;
	return job_argv(j->a, j->call->program, is_python ? profile_data_guest(j->a, b, j->folder) : NULL,
			path_join(j->a, j->folder, "profile.job"));
}

static struct job job_of(const struct profile_job *p)
{
	return (struct job){.p = p,
			    .o = p->o,
			    .call = p->call,
			    .a = p->a,
			    .folder = p->folder,
			    .candidate = p->o->candidate,
			    .path = p->o->args.items[0]};
}

bool profile_kernel_dry(struct dry_run *d, const struct profile_job *p, struct err *e)
{
	struct job job = job_of(p), *j = &job;
	struct bench_options b;
	if (j->candidate.problem)
		return dry_problem(d, &j->candidate, &p->o->args, e);
	if (!read_job(j, &b, e))
		return false;
	dry_operator(d, "kernel", &j->op);
	dry_device(d, &j->device);
	if (!dry_build(d, "build", &j->op, &j->device, &b, e))
		return false;
	dry_lease(d, &j->device, b.wait_s);
	if (is_counted(j)) {
		dry_step(d, "counters", NAN,
			 arena_printf(j->a,
				      "perf_event counters around calls of assay's own runner; ended after %.15g s",
				      b.timeout_s));
		return true;
	}
	struct profile_options o = profile_job_options(p);
	o.command = dry_runner(j, &b);
	o.flags |= PROFILE_FROM_START_OFF;
	const char *command = profile_command(j->a, &o, e);
	if (command)
		dry_step(d, j->o->tool, NAN, arena_printf(j->a, "%s; ended after %.15g s", command, b.timeout_s));
	return command != NULL;
}

static bool in_scratch(struct job *j, const struct bench_options *b, const char *scratch, struct err *e)
{
	struct lease *lease = NULL;
	bool is_python = j->op.linkage == LINKAGE_PYTHON, has_data = is_python || j->op.data == DATA_SETUP;
	if ((!is_python && !build(j, e)) || j->is_over)
		return j->is_over;
	bool ok = lease_take(&lease, j->device.lease, (int64_t)(b->wait_s * 1e9), "profile", e) &&
		  (!has_data || open_data(j, b, scratch, e));
	if (ok && !j->is_over)
		ok = is_counted(j) ? run_perf(j, scratch, e) : run_job(j, scratch, e);
	lease_free(lease);
	return ok;
}

bool profile_kernel(const struct profile_job *p, struct err *e)
{
	struct job job = job_of(p), *j = &job;
	struct bench_options b;
	struct scratch scratch;
	if (!candidate_import(&j->candidate, &j->path, j->call, e) || !read_job(j, &b, e) ||
	    !scratch_make(&scratch, j->a, "profile", e))
		return false;
	bool ok = in_scratch(j, &b, scratch.path, e);
	profile_data_close(&j->data);
	scratch_remove(&scratch);
	return ok;
}
