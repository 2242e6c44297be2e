/* One candidate measured.
 * In: options. Out: verdict and record, rows in the store.
 * Order: device and lease, build, lab, workers, correctness, identity, cold, warm, events, look at the timed slots.
 * Never: times a candidate that is wrong. */
#include "measure/bench.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/scratch.h"
#include "measure/bench_ahead.h"
#include "measure/bench_integrity.h"
#include "measure/telemetry.h"
#include "measure/workload.h"
#include "run/trial.h"
#include "store/lease.h"
#include "store/object.h"

/* Seconds that a phase may take by the options; 0: not known before. */
static double most_of(const struct bench_options *o, const char *phase)
{
	double series = o->n_repeat ? 0 : o->budget_s;
	if (strcmp(phase, "cold") == 0)
		return series;
	return strcmp(phase, "warm") == 0 || strcmp(phase, "events") == 0 ? series / 4 : 0;
}

/* The budgets, and a second for build, correctness and integrity, which have none. */
static double expected_s(const struct bench_options *o)
{
	double speedup = o->speedup_budget_s >= 0 ? o->speedup_budget_s : 2;
	return o->n_repeat ? 0 : 1.5 * o->budget_s + speedup + 1;
}

void bench_phase(struct bench_state *s, const char *name)
{
	int64_t now = clock_ns();
	if (s->phase_name)
		json_set_f64(s->seconds, s->phase_name, (double)(now - s->phase_begin) / 1e9);
	s->phase_name = name;
	s->phase_begin = now;
	if (name)
		progress_phase(name, most_of(s->o, name));
}

void bench_conclude(struct bench_state *s, enum verdict v, const char *text)
{
	s->out->verdict = v;
	s->out->text = text;
	s->is_over = true;
}

static bool do_build(struct bench_state *s, struct err *e)
{
	static const enum verdict verdicts[] = {VERDICT_PASSED, VERDICT_BUILD_FAILED, VERDICT_BUILD_TIMEOUT,
						VERDICT_NO_ENTRY};
	const struct operator* op = & s->out->op;
	struct build_options b = {.source = s->o->input.path,
				  .language = op->backend == BACKEND_C ? BUILD_C : BUILD_CUDA,
				  .entry = arena_strndup(s->arena, op->entry.p, op->entry.n),
				  .sm = s->out->device.sm,
				  .arch = s->o->arch,
				  .flags = s->o->flags,
				  .nvcc = s->o->nvcc,
				  .folder = path_join(s->arena, s->folder, "build"),
				  .name = "kernel",
				  .options = s->o->options & BENCH_NO_CACHE ? BUILD_NO_CACHE : 0u,
				  .cutlass = op->backend == BACKEND_CUTLASS};
	struct artifact *x = &s->out->artifact;
	if (!build_make(x, s->arena, &b, e))
		return false;
	if (x->result != BUILD_OK)
		bench_conclude(s, verdicts[x->result], x->message ? x->message : verdict_text(verdicts[x->result]));
	return true;
}

static bool open_workload(struct bench_state *s, struct err *e)
{
	struct workload_options w = {.input = &s->o->input,
				     .python = s->o->python,
				     .setup = s->o->setup,
				     .folder = s->folder,
				     .gpu = s->out->device.gpu,
				     .timeout_ns = (int64_t)(s->o->timeout_s * 5e9),
				     .ahead = s->out->op.data == DATA_SETUP ? bench_start_ahead : NULL,
				     .ctx = s};
	s->workload = ARENA_NEW(s->arena, struct workload);
	if (!workload_open(s->workload, s->arena, &s->out->op, &w, e))
		return false;
	if (s->workload->verdict != VERDICT_PASSED)
		bench_conclude(s, s->workload->verdict, s->workload->text);
	return true;
}

/* A .py is not built: the module is the artifact, its worker's files are written beside it. */
static bool prepare_guest(struct bench_state *s, struct err *e)
{
	struct operator* op = & s->out->op;
	s->out->artifact = (struct artifact){.result = BUILD_OK,
					     .library = op->kernel.path,
					     .symbol = arena_strndup(s->arena, op->entry.p, op->entry.n),
					     .facts = json_object(s->arena)};
	memcpy(s->out->artifact.sha256, op->kernel.sha256, sizeof(op->kernel.sha256));
	return open_workload(s, e);
}

/* A native kernel is built; another module may supply its data. */
static bool prepare_native(struct bench_state *s, struct err *e)
{
	if (s->out->op.data == DATA_SETUP && !open_workload(s, e))
		return false;
	return s->is_over || do_build(s, e);
}

/* Device memory that was there before the candidate's first call and is not there any more: the verdict, not assay's trouble. */
static bool is_starved(struct bench_state *s, struct err *e)
{
	if (!s->out->device.gpu || !strstr(e->text, "CUDA_ERROR_OUT_OF_MEMORY") || !bench_has_called(s))
		return false;
	bench_conclude(s, VERDICT_DEVICE_MEMORY,
		       arena_printf(s->arena,
				    "there was memory for the tensors until the kernel had been called; then %s",
				    e->text));
	*e = (struct err){ERR_NONE, ""};
	return true;
}

static bool measure(struct bench_state *s, struct err *e)
{
	bench_phase(s, "build");
	bool is_python = s->out->op.linkage == LINKAGE_PYTHON;
	if (!(is_python ? prepare_guest(s, e) : prepare_native(s, e)) || s->is_over)
		return s->is_over;
	bench_await_ahead(s);
	bench_phase(s, "idle check");
	telemetry_wait_idle(s->telemetry, s->out->device.gpu ? TELEMETRY_PATIENCE_GPU_NS : TELEMETRY_PATIENCE_CPU_NS);
	bool ok = bench_check(s, e) && (s->is_over || (bench_time(s, e) && bench_integrity(s, e)));
	return ok || is_starved(s, e);
}

static bool publish(struct bench_state *s, struct err *e)
{
	bool ok = s->trial->n == 0 || trial_publish(s->trial, s->store, bench_trial_meta(s), s->trial_digest, e);
	bench_phase(s, NULL);
	ok = ok && telemetry_json(&s->telemetry_facts, s->telemetry, s->store, e);
	s->out->record = bench_record(s);
	ok = ok && store_record(s->store, "bench", s->out->record, s->out->id, e);
	if (ok)
		json_set_cstr(s->out->record, "id", s->out->id);
	return ok;
}

static bool with_lease(struct bench_state *s, struct err *e)
{
	struct lease *lease = NULL;
	const char *note = arena_printf(s->arena, "bench %s", path_base(s->o->input.path));
	int64_t wait = s->o->wait_s > 0 ? (int64_t)(s->o->wait_s * 1e9) : 0;
	progress_phase("lease", s->o->wait_s);
	if (s->o->wait_s >= 0 && !lease_take(&lease, s->out->device.lease, wait, note, e))
		return false;
	struct telemetry_options t = {.program = s->o->program, .folder = s->folder, .device = &s->out->device};
	telemetry_start(s->telemetry, s->arena, &t);
	bool ok = measure(s, e);
	telemetry_stop(s->telemetry);
	bench_phase(s, "end");
	bench_close(s);
	ok = ok && bench_look_further(s, e);
	lease_free(lease);
	return ok;
}

static bool run(struct bench *out, struct arena *a, const struct bench_options *o, struct err *e)
{
	*out = (struct bench){.verdict = VERDICT_UNCHECKED, .text = ""};
	struct telemetry telemetry = {.sampler = NULL};
	struct bench_state s = {.out = out, .arena = a, .o = o, .seconds = json_object(a), .telemetry = &telemetry};
	struct trial trial;
	trial_init(&trial, a);
	s.trial = &trial;
	bench_phase(&s, "read");
	if (!bench_begin(&s, e))
		return false;
	if (!operator_read(&out->op, a, &o->input, e))
		return false;
	if (out->op.data == DATA_SETUP && out->op.form == OPERATOR_NATIVE && !o->setup)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s:%u: setup() would supply the data; one in C or CUDA is not run: an operator file "
			       "(--op-file) says the sizes instead, or a setup() in Python (--setup)",
			       o->input.path, out->op.setup_line);
	if (!device_choose(&out->device, &s.device_facts, a, operator_device(&out->op), o->i_gpu, e))
		return false;
	struct scratch scratch;
	s.store = store_open(o->store, e); /* before anything is measured: one that cannot be written loses nothing */
	if (!s.store)
		return false;
	if (!scratch_make(&scratch, a, "bench", e)) {
		store_close(s.store);
		return false;
	}
	s.folder = scratch.path;
	bool ok = with_lease(&s, e);
	if (ok) {
		s.problem = telemetry_problem(&telemetry);
		ok = publish(&s, e);
	}
	telemetry_free(&telemetry);
	if (ok && o->folder && out->artifact.library && out->op.linkage != LINKAGE_PYTHON)
		ok = file_mkdirs(o->folder, 0755, e) &&
		     file_copy(out->artifact.library, path_join(a, o->folder, "kernel.so"), e);
	scratch_remove(&scratch);
	store_close(s.store);
	return ok;
}

bool bench_run(struct bench *out, struct arena *a, const struct bench_options *o, struct err *e)
{
	progress_begin("bench %s", path_base(o->input.path));
	progress_expect(expected_s(o));
	bool ok = run(out, a, o, e);
	progress_end();
	return ok;
}
