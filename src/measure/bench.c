/* One candidate measured.
 * In: options. Out: verdict and record, rows in the store.
 * Order: device and lease, build, lab, workers, correctness, identity, cold, warm, events, look at the timed slots.
 * Never: times a candidate that is wrong. */
#include "measure/bench.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/scratch.h"
#include "measure/bench_record.h"
#include "measure/device.h"
#include "run/guest.h"
#include "store/lease.h"

enum { BENCH_SLOTS = 8 };
static const uint64_t BENCH_GPU_MEMORY = UINT64_C(8) << 30, BENCH_HOST_MEMORY = UINT64_C(2) << 30;

static void phase(struct bench_state *s, const char *name)
{
	int64_t now = clock_ns();
	if (s->phase_name)
		json_set_f64(s->seconds, s->phase_name, (double)(now - s->phase_begin) / 1e9);
	s->phase_name = name;
	s->phase_begin = now;
	if (name)
		log_progress("%s: %s", path_base(s->o->input.path), name);
}

/* ASK_FAULT becomes the bench's verdict; ASK_ERR ends it. */
static bool settle(struct bench_state *s, enum ask_result r)
{
	if (r != ASK_FAULT)
		return r == ASK_OK;
	s->out->verdict = s->fault.verdict;
	s->out->text = s->fault.text;
	s->is_over = true;
	return true;
}

static void conclude(struct bench_state *s, enum verdict v, const char *text)
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
				  .options = s->o->options & BENCH_NO_CACHE ? BUILD_NO_CACHE : 0u};
	struct artifact *x = &s->out->artifact;
	if (!build_make(x, s->arena, &b, e))
		return false;
	if (x->result != BUILD_OK)
		conclude(s, verdicts[x->result], x->message ? x->message : verdict_text(verdicts[x->result]));
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
	s->guest = ARENA_NEW(s->arena, struct guest);
	if (!guest_prepare(s->guest, s->arena, op, s->o->python, path_join(s->arena, s->folder, "guest"), e))
		return false;
	s->out->artifact.compiler = s->guest->python;
	return true;
}

static bool open_lab(struct bench_state *s, struct err *e)
{
	bool is_gpu = s->out->device.gpu != NULL;
	struct lab_options o = {.program = s->o->program,
				.folder = s->folder,
				.cupti = s->o->cupti,
				.call_timeout_ns = (int64_t)(s->o->timeout_s * 1e9),
				.n_slots = BENCH_SLOTS,
				.memory_bytes = is_gpu ? BENCH_GPU_MEMORY : BENCH_HOST_MEMORY};
	s->subject = (struct lab_subject){.name = "candidate",
					  .library = s->out->artifact.library,
					  .symbol = s->out->artifact.symbol,
					  .returns_int = s->out->op.entry_returns_int,
					  .guest = s->guest};
	s->lab = lab_open(s->arena, &s->out->op, &s->out->device, &o, e);
	if (!s->lab)
		return false;
	/* All processes make their contexts at the same time; they are idle while another one is measured. */
	s->main = lab_start(s->lab, &s->subject, is_gpu ? "identity" : "time", e);
	if (!s->main)
		return false;
	if (is_gpu && !(s->o->options & BENCH_NO_EVENT)) {
		s->event = lab_start(s->lab, &s->subject, "event", e);
		if (!s->event)
			return false;
	}
	return settle(s, lab_join(s->lab, s->main, &s->fault, e));
}

static bool do_correct(struct bench_state *s, struct err *e)
{
	s->reference_options = (struct reference_options){.program = s->o->program,
							  .folder = s->folder,
							  .python = s->o->python,
							  .nvcc = s->o->nvcc,
							  .timeout_ns = (int64_t)(s->o->timeout_s * 5e9),
							  .n_warmup = 3,
							  .n_repeat = 20,
							  .no_cache = (s->o->options & BENCH_NO_CACHE) != 0};
	struct correct_bench at = {s->arena, s->lab, &s->reference};
	if (!reference_open(&s->reference, s->arena, &s->out->op, &s->out->device, &s->reference_options, e) ||
	    !settle(s, correct_run(&s->correct, &at, s->main, &s->fault, e)))
		return false;
	s->has_correctness = !s->is_over;
	if (s->is_over)
		return true;
	s->out->verdict = s->correct.verdict;
	s->out->text = s->correct.text;
	s->is_over = s->correct.verdict != VERDICT_PASSED && s->correct.verdict != VERDICT_UNCHECKED;
	return true;
}

static bool do_identity(struct bench_state *s, struct err *e)
{
	struct lab_rows warm;
	struct lab_batch first = {.n = 2}, second = {.n = 1, .first_call = 2};
	if (!s->out->device.gpu)
		return true;
	if (!settle(s, lab_run(s->lab, s->main, &first, &warm, &s->fault, e)) || s->is_over)
		return s->is_over;
	struct trial_batch b = {.mode = TRIAL_IDENTITY, .flags = TRIAL_WARMUP, .quarter = TRIAL_NO_QUARTER};
	b.begin_ns = warm.begin_ns;
	b.wall_ns = warm.wall_ns;
	trial_add(&s->trial, warm.rows, warm.n, &b);
	if (!settle(s, lab_run(s->lab, s->main, &second, &s->identity, &s->fault, e)) || s->is_over)
		return s->is_over;
	b.flags = 0;
	b.begin_ns = s->identity.begin_ns;
	b.wall_ns = s->identity.wall_ns;
	trial_add(&s->trial, s->identity.rows, 1, &b);
	const struct wire_row *row = &s->identity.rows[0];
	s->has_records = !(row->marks & WIRE_MARK_NO_RECORD);
	s->can_hold = !(row->marks & (WIRE_MARK_SYNCED | WIRE_MARK_ALLOCATED));
	s->is_single = row->n_launch == 1 && row->n_copy == 0;
	return settle(s, lab_reduce(s->lab, s->main, &s->fault, e));
}

static struct timing_plan plan_of(const struct bench_state *s, enum timing_source source, unsigned cold)
{
	const struct bench_options *o = s->o;
	return (struct timing_plan){.source = source,
				    .mode = source == TIMING_EVENT ? TRIAL_EVENT : TRIAL_TIME,
				    .flags = WIRE_CALL_POISON | cold | (s->can_hold ? WIRE_CALL_HOLD : 0u),
				    .n_warmup = (size_t)o->n_warmup,
				    .n_repeat = (size_t)o->n_repeat,
				    .rule = {.noise = o->noise, .n_min = 20, .budget_ns = o->budget_s * 1e9},
				    .seed = s->out->op.seed + (uint64_t)source + cold};
}

/* One series; the slots it ran on are looked at afterwards, so that a candidate cannot be right only when checked. */
static bool do_series(struct bench_state *s, struct series *x, struct lab_worker *w, const struct timing_plan *p,
		      struct err *e)
{
	if (s->is_over)
		return true;
	if (!settle(s, timing_run(&x->t, &s->trial, w, p, &s->fault, e)) || s->is_over)
		return s->is_over;
	x->is_there = true;
	/* Every slot that was called, so that no address tells the candidate whether anybody looks. */
	size_t n_calls = x->t.n_calls, n_slots = lab_n_slots(s->lab);
	for (size_t i = 0; i < n_slots && i < n_calls; i++) {
		struct correct_bench b = {s->arena, s->lab, &s->reference};
		struct correct_place at = {.i_case = 0, .slot = i, .what = "timed calls"};
		if (!correct_look(&s->correct, &b, &at, e))
			return false;
	}
	if (s->correct.verdict != VERDICT_PASSED && s->correct.verdict != VERDICT_UNCHECKED)
		conclude(s, s->correct.verdict, s->correct.text);
	return true;
}

static bool do_events(struct bench_state *s, struct err *e)
{
	if (!s->event || s->is_over)
		return true;
	if (!settle(s, lab_join(s->lab, s->event, &s->fault, e)) || s->is_over)
		return s->is_over;
	struct timing_plan p = plan_of(s, TIMING_EVENT, WIRE_CALL_COLD);
	p.empty_pair_ns = json_f64(lab_facts(s->event), "empty_pair_ns", 0);
	if (s->has_records && s->is_single && !p.n_repeat)
		p.rule.budget_ns /= 4; /* a second opinion here, not the number */
	return do_series(s, &s->events, s->event, &p, e);
}

static bool do_time(struct bench_state *s, struct err *e)
{
	bool is_gpu = s->out->device.gpu != NULL;
	enum timing_source source = is_gpu ? TIMING_RECORD : TIMING_HOST;
	struct timing_plan cold = plan_of(s, source, WIRE_CALL_COLD), warm = plan_of(s, source, 0);
	warm.flags &= ~(unsigned)WIRE_CALL_POISON;
	warm.rule.budget_ns /= 4;
	if (is_gpu && !s->has_records)
		return do_events(s, e);
	phase(s, "cold");
	if (!do_series(s, &s->cold, s->main, &cold, e))
		return false;
	phase(s, "warm");
	if (!(s->o->options & BENCH_NO_WARM) && !do_series(s, &s->warm, s->main, &warm, e))
		return false;
	phase(s, "events");
	return do_events(s, e);
}

static bool measure(struct bench_state *s, struct err *e)
{
	phase(s, "build");
	bool is_python = s->out->op.linkage == LINKAGE_PYTHON;
	if (!(is_python ? prepare_guest(s, e) : do_build(s, e)) || s->is_over)
		return s->is_over;
	phase(s, "start");
	if (!open_lab(s, e))
		return false;
	if (s->is_over)
		return true;
	phase(s, "correctness");
	if (!do_correct(s, e))
		return false;
	if (s->is_over)
		return true;
	phase(s, "identity");
	if (!do_identity(s, e))
		return false;
	return s->is_over || do_time(s, e);
}

static void choose_primary(struct bench_state *s)
{
	const struct series *x = s->cold.is_there && (s->is_single || !s->events.is_there) ? &s->cold : &s->events;
	if (!x->is_there || s->is_over)
		return;
	s->primary = x;
	s->out->has_time = true;
	s->out->source = x->t.source;
	s->out->median_ns = x->t.summary.median;
	s->out->mean_ns = x->t.summary.mean;
	s->out->trimmed_ns = x->t.summary.trimmed_mean;
}

static bool publish(struct bench_state *s, struct err *e)
{
	bool ok = s->trial.n == 0 || trial_publish(&s->trial, s->store, bench_trial_meta(s), s->trial_digest, e);
	phase(s, NULL);
	s->out->record = bench_record(s);
	ok = ok && store_record(s->store, "bench", s->out->record, s->out->id, e);
	if (ok)
		json_set_cstr(s->out->record, "id", s->out->id);
	return ok;
}

static bool with_lease(struct bench_state *s, struct err *e)
{
	struct lease *lease;
	const char *note = arena_printf(s->arena, "bench %s", path_base(s->o->input.path));
	int64_t wait = s->o->wait_s > 0 ? (int64_t)(s->o->wait_s * 1e9) : 0;
	if (!lease_take(&lease, s->out->device.lease, wait, note, e))
		return false;
	bool ok = measure(s, e);
	if (s->main && s->guest)
		worker_observe(lab_process(s->main)); /* a guest is sealed later than it is joined */
	if (s->main)
		s->sandbox = worker_sandbox_json(lab_process(s->main), s->arena);
	phase(s, "end");
	lab_free(s->lab);
	lease_free(lease);
	return ok;
}

bool bench_run(struct bench *out, struct arena *a, const struct bench_options *o, struct err *e)
{
	*out = (struct bench){.verdict = VERDICT_UNCHECKED, .text = ""};
	struct bench_state s = {.out = out, .arena = a, .o = o, .seconds = json_object(a)};
	trial_init(&s.trial, a);
	phase(&s, "read");
	if (!operator_read(&out->op, a, &o->input, e))
		return false;
	if (out->op.data == DATA_SETUP)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s:%u: setup() would supply the data; it is not run yet: an operator "
			       "file (--op-file) says the sizes instead",
			       o->input.path, out->op.setup_line);
	if (!device_choose(&out->device, &s.device_facts, a, out->op.backend, o->i_gpu, e))
		return false;
	struct scratch scratch;
	s.store =
		store_open(o->store, e); /* before anything is measured: a store that cannot be written loses nothing */
	if (!s.store)
		return false;
	if (!scratch_make(&scratch, a, "bench", e)) {
		store_close(s.store);
		return false;
	}
	s.folder = scratch.path;
	bool ok = with_lease(&s, e);
	if (ok) {
		choose_primary(&s);
		ok = publish(&s, e);
	}
	if (ok && o->folder && out->artifact.library && out->op.linkage != LINKAGE_PYTHON)
		ok = file_mkdirs(o->folder, 0755, e) &&
		     file_copy(out->artifact.library, path_join(a, o->folder, "kernel.so"), e);
	scratch_remove(&scratch);
	store_close(s.store);
	log_progress_end();
	return ok;
}
