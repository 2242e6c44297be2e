/* A bench before anything is timed.
 * In: a built candidate. Out: a lab, correctness on all cases, what one call launches.
 * The candidate's faults become the verdict.
 * Never: goes on with a candidate that is wrong. */
#include "measure/bench_integrity.h"

#include <unistd.h>

#include "base/beneath.h"
#include "base/file.h"
#include "measure/bench_ahead.h"
#include "measure/lab_ahead.h"
#include "measure/bench_parts.h"
#include "measure/checker.h"
#include "measure/workload.h"
#include "run/keeper.h"
#include "run/trial.h"

enum { BENCH_SLOTS = 8, BENCH_CAPTURES = 8 };
static const uint64_t BENCH_GPU_MEMORY = UINT64_C(8) << 30, BENCH_HOST_MEMORY = UINT64_C(2) << 30;

bool bench_settle(struct bench_state *s, enum ask_result r)
{
	if (r != ASK_FAULT)
		return r == ASK_OK;
	s->out->verdict = s->parts->fault.verdict;
	s->out->text = s->parts->fault.text;
	s->is_over = true;
	return true;
}

static void make_lab(struct bench_state *s, struct guest *guest)
{
	bool is_gpu = s->out->device.gpu != NULL;
	struct lab_options o = {.program = s->o->program,
				.folder = s->folder,
				.cupti = s->o->cupti,
				.call_timeout_ns = (int64_t)(s->o->timeout_s * 1e9),
				.max_memory_bytes = s->o->max_memory_bytes,
				.evict_bytes = s->o->evict_bytes,
				.n_slots = BENCH_SLOTS,
				.n_captures = bench_has_battery(s) ? BENCH_CAPTURES : 0,
				.memory_bytes = is_gpu ? BENCH_GPU_MEMORY : BENCH_HOST_MEMORY,
				.keep_bytes = is_gpu ? BENCH_GPU_MEMORY : BENCH_HOST_MEMORY / 8};
	s->parts->subject = (struct lab_subject){.name = "candidate",
						 .library = s->out->artifact.library,
						 .symbol = s->out->artifact.symbol,
						 .returns_int = s->out->op.entry_returns_int,
						 .guest = guest};
	s->lab = lab_new(s->arena, &s->out->op, &s->out->device, &o);
}

/* All processes make their contexts at the same time; they are idle while another one is measured. */
static bool start_workers(struct bench_state *s, struct err *e)
{
	bool is_gpu = s->out->device.gpu != NULL;
	s->parts->main = lab_start_ahead(s->lab, &s->parts->subject, is_gpu ? "identity" : "time", e);
	if (!s->parts->main)
		return false;
	if (is_gpu && !(s->o->options & BENCH_NO_EVENT))
		s->parts->event = lab_start_ahead(s->lab, &s->parts->subject, "event", e);
	return s->parts->event || !is_gpu || (s->o->options & BENCH_NO_EVENT);
}

bool bench_start_ahead(void *ctx, struct guest *guest, struct err *e)
{
	struct bench_state *s = ctx;
	make_lab(s, guest);
	return start_workers(s, e);
}

void bench_await_ahead(struct bench_state *s)
{
	if (s->parts->main)
		lab_greet(s->parts->main);
	if (s->parts->event)
		lab_greet(s->parts->event);
}

static bool open_lab(struct bench_state *s, struct err *e)
{
	if (!s->lab)
		make_lab(s, s->workload ? s->workload->guest : NULL);
	if (s->workload)
		lab_use_data(s->lab, workload_files(s->workload), workload_digests(s->workload));
	if (!lab_keep(s->lab, e))
		return false;
	bench_battery_begin(s);
	if ((!s->parts->main && !start_workers(s, e)) || !lab_set_up(s->lab, s->parts->main, e) ||
	    (s->parts->event && !lab_set_up(s->lab, s->parts->event, e)))
		return false;
	enum ask_result r = lab_join(s->lab, s->parts->main, &s->parts->fault, e);
	s->parts->main_facts = lab_facts(s->parts->main);
	return bench_settle(s, r);
}

static bool do_correct(struct bench_state *s, struct err *e)
{
	s->parts->reference_options = (struct reference_options){.program = s->o->program,
								 .folder = s->folder,
								 .python = s->o->python,
								 .guest = s->workload ? s->workload->interpreter : NULL,
								 .nvcc = s->o->nvcc,
								 .timeout_ns = (int64_t)(s->o->timeout_s * 5e9),
								 .n_warmup = 3,
								 .n_repeat = 20,
								 .no_cache = (s->o->options & BENCH_NO_CACHE) != 0};
	struct bench_parts *p = s->parts;
	struct checker checker = {.n = 0};
	p->looks = (struct correct_bench){s->arena, s->lab, &p->reference, &checker};
	bool ok = reference_open(&p->reference, s->arena, &s->out->op, &s->out->device, &p->reference_options, e);
	if (ok) {
		checker_open(&checker, s->arena, &p->reference);
		ok = bench_settle(s, correct_run(&p->correct, &p->looks, p->main, &p->fault, e)) &&
		     (s->is_over || checker_ask(&checker, &p->correct, e));
	}
	p->looks.checker = NULL;
	checker_release(&checker);
	if (!ok)
		return false;
	p->has_correctness = !s->is_over;
	if (s->is_over)
		return true;
	if (!bench_after_correctness(s, e))
		return false;
	bench_judge(s);
	return true;
}

static bool do_identity(struct bench_state *s, struct err *e)
{
	struct lab_rows warm;
	struct lab_batch first = {.n = 2}, second = {.n = 1, .first_call = 2};
	if (!s->out->device.gpu)
		return true;
	if (!bench_settle(s, lab_run(s->lab, s->parts->main, &first, &warm, &s->parts->fault, e)) || s->is_over)
		return s->is_over;
	struct trial_batch b = {.mode = TRIAL_IDENTITY, .flags = TRIAL_WARMUP, .quarter = TRIAL_NO_QUARTER};
	b.begin_ns = warm.begin_ns;
	b.wall_ns = warm.wall_ns;
	trial_add(s->trial, warm.rows, warm.n, &b);
	if (!bench_settle(s, lab_run(s->lab, s->parts->main, &second, &s->parts->identity, &s->parts->fault, e)) ||
	    s->is_over)
		return s->is_over;
	b.flags = 0;
	b.begin_ns = s->parts->identity.begin_ns;
	b.wall_ns = s->parts->identity.wall_ns;
	trial_add(s->trial, s->parts->identity.rows, 1, &b);
	const struct wire_row *row = &s->parts->identity.rows[0];
	s->parts->has_records = !(row->marks & WIRE_MARK_NO_RECORD);
	s->parts->can_hold = !(row->marks & (WIRE_MARK_SYNCED | WIRE_MARK_ALLOCATED));
	s->parts->is_single = row->n_launch == 1 && row->n_copy == 0;
	return bench_settle(s, lab_reduce(s->lab, s->parts->main, &s->parts->fault, e));
}

/* The worker writes it as it calls. */
static void read_compiled(struct bench_state *s)
{
	enum { MOST = 64 << 10 };
	struct err ignored;
	const char *folder = s->parts->subject.guest && s->parts->main ? lab_worker_folder(s->parts->main) : NULL;
	int fd = folder ? beneath_open(folder, "compiled.json", &ignored) : -1;
	if (fd < 0)
		return;
	char *text = arena_alloc(s->arena, MOST);
	ssize_t n = pread(fd, text, MOST, 0);
	close(fd);
	struct json *j =
		n > 0 ? json_parse(s->arena, "compiled.json", (struct str){text, (size_t)n}, JSON_STRICT, &ignored)
		      : NULL;
	s->parts->compiled = j && j->type == JSON_ARRAY && j->n ? j : NULL;
}

bool bench_begin(struct bench_state *s, struct err *e)
{
	s->parts = ARENA_NEW(s->arena, struct bench_parts);
	return bench_battery_open(s, e);
}

bool bench_check(struct bench_state *s, struct err *e)
{
	bench_phase(s, "start");
	if (!open_lab(s, e))
		return false;
	if (s->is_over)
		return true;
	bench_phase(s, "correctness");
	if (!do_correct(s, e))
		return false;
	if (s->is_over)
		return true;
	bench_phase(s, "identity");
	bool ok = do_identity(s, e);
	read_compiled(s);
	return ok;
}

bool bench_has_called(const struct bench_state *s)
{
	const struct json *looks = s->parts->correct.cases;
	return looks && looks->n > 0;
}

void bench_note_sandbox(struct bench_state *s)
{
	if (!s->parts->main || s->sandbox)
		return;
	if (s->workload && s->workload->guest)
		worker_observe(lab_process(s->parts->main)); /* a guest is sealed later than it is joined */
	s->sandbox = worker_sandbox_json(lab_process(s->parts->main), s->arena);
}

static void keep_inputs(struct bench_state *s)
{
	const int *files = s->workload ? workload_files(s->workload) : NULL;
	struct err ignored;
	if (files && s->o->inputs &&
	    file_copy(arena_printf(s->arena, "/proc/self/fd/%d", files[0]), s->o->inputs, &ignored))
		s->out->inputs = s->o->inputs;
}

void bench_close(struct bench_state *s)
{
	keep_inputs(s);
	bench_note_sandbox(s);
	reference_release(&s->parts->reference);
	if (s->lab && lab_keeper(s->lab)) {
		s->memory = arena_strdup(s->arena, keeper_memory(lab_keeper(s->lab)));
		s->memory_reason = arena_strdup(s->arena, keeper_reason(lab_keeper(s->lab)));
	}
	lab_free(s->lab);
	if (s->workload)
		workload_close(s->workload);
	s->lab = NULL;
}
