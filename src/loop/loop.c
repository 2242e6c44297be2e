/* The loop.
 * In: options. Out: a run folder with one more version (or all of them, with a proposer), and the state.
 * Order: folder and lock, what a killed call left, preflight, check, frozen inputs, memory, version, best, summary, proposer.
 * Never: writes a kernel, picks a direction, promotes anything. */
#include "loop/loop.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/proc.h"
#include "base/progress.h"
#include "collect/preflight.h"
#include "loop/attempt.h"
#include "loop/best.h"
#include "loop/drive.h"
#include "loop/frozen.h"
#include "loop/inside.h"
#include "loop/stop.h"
#include "loop/final.h"
#include "measure/device.h"
#include "operator/check.h"
#include "operator/config_set.h"

void loop_say(const struct loop *l, const char *text)
{
	if (l->o->announce)
		l->o->announce(l->o->ctx, text);
}

static const char *new_folder(struct arena *a, const char *path)
{
	char now[17];
	clock_utc_compact(now);
	const char *base = arena_printf(a, "assay-runs/%s-%s", path_stem(a, path), now);
	const char *folder = base;
	for (int k = 2; file_exists(folder); k++)
		folder = arena_printf(a, "%s-%d", base, k);
	return folder;
}

static bool do_preflight(struct loop *l, bool *is_ready, struct err *e)
{
	const struct bench_options *b = &l->o->bench;
	struct lab_device device = {.gpu = ""};
	struct json *facts;
	struct err none;
	bool is_gpu = l->op.backend != BACKEND_C;
	if (backend_is_python(l->op.backend) &&
	    device_choose(&device, &facts, l->arena, operator_device(&l->op), b->i_gpu, &none))
		is_gpu = device.gpu != NULL; /* torch and numpy run on the CPU, too */
	if (!is_gpu && backend_is_python(l->op.backend))
		loop_say(l, "no GPU: this run measures on the CPU");
	bool is_py = backend_is_python(l->op.backend) || l->op.reference_kind == REFERENCE_PY;
	const char *files[3] = {l->path, l->op.reference.path, NULL};
	struct preflight_options p = {.i_gpu = b->i_gpu,
				      .nvcc = b->nvcc,
				      .ncu = l->o->ncu,
				      .python = b->python,
				      .files = files,
				      .ask_torch = backend_is_python(l->op.backend) && is_gpu && run_is_new(&l->run)};
	if (is_gpu)
		p.needs |= PREFLIGHT_GPU;
	if (l->op.backend == BACKEND_CUDA || l->op.backend == BACKEND_CUTLASS)
		p.needs |= PREFLIGHT_NVCC;
	if (l->op.backend == BACKEND_C)
		p.needs |= PREFLIGHT_CC;
	if (is_gpu && !(l->o->flags & LOOP_WITHOUT_PROFILE))
		p.needs |= PREFLIGHT_NCU | PREFLIGHT_COUNTERS;
	if (is_py)
		p.needs |= PREFLIGHT_PYTHON;
	struct preflight got;
	progress_phase("preflight", 0);
	if (!preflight_run(&got, l->arena, &p, e) || !preflight_write(&got, l->run.folder, e))
		return false;
	progress_phase("", 0);
	*is_ready = got.missing == NULL;
	if (got.missing)
		return err_set(e, ERR_ENVIRONMENT, "preflight: %s (%s/preflight_check.md has the rest)", got.missing,
			       l->run.folder);
	return true;
}

/* The set beside the file of this call is named before it costs anything. One of v0 that cannot be read is the user's; one
 * of a later version is that version's fault (iterate.c). */
static bool look_at_set(struct loop *l, struct err *e)
{
	const char *path = config_set_beside(l->arena, l->path);
	struct config_set set;
	struct err bad;
	if (!path)
		return true;
	if (backend_is_python(l->op.backend)) {
		loop_say(l, arena_printf(l->arena, "%s is not used: a .py chooses its own configurations", path));
		return true;
	}
	if (!config_set_read(&set, l->arena, path, l->i == 0 ? e : &bad))
		return l->i > 0;
	loop_say(l, arena_printf(l->arena, "v%zu comes in %zu configuration%s: %s", l->i, set.n, set.n == 1 ? "" : "s",
				 path));
	return true;
}

/* v0 only. False without err set: a prerequisite is not met; the state says so. */
static bool do_check(struct loop *l, bool *is_met, struct err *e)
{
	struct check c;
	if (!check_read(&c, l->arena, &l->o->bench.input, e) ||
	    !run_write_json(&l->run, "check.json", check_json(l->arena, &c), e))
		return false;
	*is_met = c.n_not_met == 0;
	for (size_t i = 0; i < CHECK_ITEMS && c.n_not_met; i++) {
		if (c.items[i].status == CHECK_NOT_MET) {
			loop_say(l, arena_printf(l->arena, "%s: %s: %s", c.items[i].key, c.items[i].found,
						 check_answer_text(c.items[i].answer)));
			json_set_cstr(l->out->state, "prerequisite", c.items[i].key);
			json_set_cstr(l->out->state, "answer", check_answer_text(c.items[i].answer));
		}
	}
	return true;
}

/* The seed's answer to a v0 that does not do what it is there for. */
static void answer_baseline(struct loop *l)
{
	enum verdict v = VERDICT_PASSED;
	(void)verdict_from_word(json_str(run_iteration(&l->run, 0), "verdict", STR("")), &v);
	bool is_wrong = verdict_stage(v) == VERDICT_STAGE_CORRECTNESS;
	const char *text = check_answer_text(is_wrong ? CHECK_ANSWER_ALGORITHM : CHECK_ANSWER_FIX);
	if (v == VERDICT_REFERENCE_FAILED || v == VERDICT_BAD_REFERENCE)
		text = "The reference cannot be used: repair it first.";
	json_set_cstr(l->out->state, "prerequisite", is_wrong ? "correct" : "compiles_and_runs");
	json_set_cstr(l->out->state, "answer", text);
	loop_say(l, arena_printf(l->arena, "v0: %s: %.*s: %s", verdict_word(v),
				 STR_ARG(json_str(run_iteration(&l->run, 0), "verdict_text", STR(""))), text));
}

bool loop_remember(struct loop *l, struct err *e)
{
	return constraints_make(&l->constraints, &l->run, l->memory, &l->scope, e);
}

static bool is_in(const struct json *list, const char *fingerprint)
{
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_is(json_str(list->items[i], "fingerprint", STR("")), fingerprint))
			return true;
	}
	return false;
}

static bool reopen(struct loop *l, const char *fingerprint, struct err *e)
{
	struct json *opened = json_path(l->run.manifest, "strategy_memory.reopened"), *x = json_object(l->arena);
	char now[25];
	if (!fingerprint_is_valid(str_from(fingerprint)))
		return err_set(e, ERR_USAGE, "--retry-blocked=%.40s: a fingerprint has 16 hex digits", fingerprint);
	if (is_in(json_get(l->constraints, "reopened"), fingerprint))
		return true;
	if (!constraints_blocked(l->constraints, fingerprint))
		return err_set(e, ERR_USAGE, "--retry-blocked=%s: it is not blocked in this scope (%s)", fingerprint,
			       l->scope.key);
	clock_utc_iso(now);
	json_set_cstr(x, "because", l->o->because);
	json_set_cstr(x, "at", now);
	json_set(opened, fingerprint, x);
	bool is_shared = !(l->o->flags & LOOP_WITHOUT_PROFILE);
	return !is_shared || memory_reopen(l->memory, &l->scope, fingerprint, l->o->because, e);
}

static bool open_memory(struct loop *l, struct err *e)
{
	struct lab_device device;
	struct json *facts;
	const struct opt_list *retry = l->o->retry;
	if (!device_choose(&device, &facts, l->arena, operator_device(&l->op), l->o->bench.i_gpu, e))
		return false;
	scope_make(&l->scope, l->arena, &l->op, scope_sm(l->arena, facts));
	l->memory = memory_open(l->o->memory_dir ? l->o->memory_dir : memory_default_folder(l->arena), e);
	if (!l->memory)
		return false;
	struct json *memory = json_get(l->run.manifest, "strategy_memory");
	json_set_cstr(memory, "scope_key", l->scope.key);
	json_set_cstr(memory, "global_folder", memory_folder(l->memory));
	int64_t follow_up = json_i64(l->run.manifest, "follow_up", -1); /* a call was killed before */
	if (follow_up >= 0 && !step_follow(l, (size_t)follow_up, e))
		return false;
	if (!outcome_share(&l->run, l->memory, &l->scope, e) || !loop_remember(l, e))
		return false;
	if (retry && retry->n && !(l->o->because && *l->o->because))
		return err_set(e, ERR_USAGE, "--retry-blocked needs --because TEXT");
	for (size_t i = 0; retry && i < retry->n; i++) {
		if (!reopen(l, retry->items[i], e))
			return false;
	}
	return !retry || !retry->n || loop_remember(l, e);
}

static bool finish(struct loop *l, const char *bound, struct err *e)
{
	struct run *r = &l->run;
	const struct json *met;
	best_forget_disturbed(r);
	if (!best_confirm(r, l->o, e))
		return false;
	json_set(r->manifest, "stop_conditions_met", stop_conditions(r, l->o));
	met = json_get(r->manifest, "stop_conditions_met");
	struct json *ended = json_set_object(r->manifest, "ended");
	json_set_cstr(ended, "reason", bound);
	json_set_cstr(ended, "evidence", "see stop_conditions_met");
	for (size_t i = 0; i < met->n; i++) {
		if (str_is(json_str(met->items[i], "condition", STR("")), bound))
			json_set(ended, "evidence", json_get(met->items[i], "evidence"));
	}
	json_set_null(r->manifest, "interrupted");
	state_put(l, true);
	return run_save(r, e) && final_write(r, e);
}

static bool finish_baseline(struct loop *l, struct err *e)
{
	if (!finish(l, "baseline_failed", e))
		return false;
	json_set(json_get(l->run.manifest, "ended"), "evidence", json_path(run_iteration(&l->run, 0), "strategy.why"));
	answer_baseline(l);
	l->out->status = 1;
	return run_save(&l->run, e) && final_write(&l->run, e);
}

/* A proposer that touched other files: the run is over, whatever comes. */
static bool finish_touched(struct loop *l, const struct json *touched, struct err *e)
{
	struct buf list;
	struct err ignored;
	buf_init(&list);
	for (size_t i = 0; i < touched->n && i < 8; i++)
		buf_printf(&list, "%s%.*s", i ? ", " : "", STR_ARG(touched->items[i]->text));
	if (touched->n > 8)
		buf_printf(&list, " and %zu more", touched->n - 8);
	bool ok = finish(l, "proposer_touched_files", &ignored);
	struct json *ended = json_set_object(l->run.manifest, "ended");
	json_set_cstr(ended, "reason", "proposer_touched_files");
	json_set_str(ended, "evidence", buf_view(&list));
	json_set(ended, "files", json_get(l->out->state, "touched_files"));
	ok = run_save(&l->run, &ignored) && final_write(&l->run, &ignored) && ok;
	if (!ok)
		loop_say(l, ignored.text);
	err_set(e, ERR_INPUT, "the proposer touched files that are not its own, which ends the run: %.800s", list.p);
	buf_release(&list);
	return false;
}

static bool step(struct loop *l, struct err *e)
{
	progress_begin("v%zu of %lld", l->i, (long long)l->o->max_iterations);
	bool ok = look_at_set(l, e) && step_run(l, e);
	progress_end();
	return ok;
}

static bool propose(struct loop *l, struct json **touched, struct err *e)
{
	progress_begin("v%zu of %lld", l->i + 1, (long long)l->o->max_iterations);
	progress_phase("proposer", l->o->proposer_timeout_s);
	bool ok = drive_propose(l, touched, e);
	progress_end();
	return ok;
}

/* By what the versions of this call took so far. */
static void expect_rest(const struct loop *l, size_t i_first, int64_t begin_ns)
{
	double taken = (double)(clock_ns() - begin_ns) / 1e9, n = (double)(l->i - i_first + 1);
	if (l->o->proposer)
		progress_expect(taken / n * (n + (double)l->o->max_iterations - (double)l->i));
}

/* Steps until a bound is reached; without a proposer one step. */
static bool steps(struct loop *l, struct err *e)
{
	size_t i_first = l->i + (l->path ? 0 : 1);
	int64_t begin = clock_ns();
	for (;;) {
		const char *bound = NULL;
		struct json *touched = NULL;
		if (l->path && (!frozen_verify(&l->run, e) || !step(l, e)))
			return false;
		if (l->path)
			expect_rest(l, i_first, begin);
		if (json_bool(run_iteration(&l->run, 0), "rejected", true))
			return finish_baseline(l, e);
		if (!stop_bound(&bound, &l->run, l->o, e))
			return false;
		if (bound)
			return finish(l, bound, e);
		state_put(l, false);
		if (!l->o->proposer)
			return file_mkdirs(path_dir(l->arena, run_next_path(&l->run, l->i + 1)), 0755, e);
		if (!propose(l, &touched, e))
			return touched && touched->n ? finish_touched(l, touched, e) : false;
		l->path = run_next_path(&l->run, ++l->i);
	}
}

static bool with_run(struct loop *l, struct err *e)
{
	bool is_ready = false, is_met = true;
	size_t n_moved = 0;
	if (!attempt_recover(&l->run, &n_moved, e) || !frozen_check(&l->run, &l->op, l->o, e) ||
	    !do_preflight(l, &is_ready, e))
		return false;
	if (n_moved)
		loop_say(l,
			 "an attempt that was cut short is kept as iter_v*.partial-*; its version is evaluated again");
	if (l->o->flags & LOOP_PREFLIGHT_ONLY) {
		json_set_cstr(l->out->state, "run_dir", l->run.folder);
		json_set_cstr(l->out->state, "preflight", path_join(l->arena, l->run.folder, "preflight_check.json"));
		return true;
	}
	if (!drive_choose(l, e) || (l->i == 0 && !do_check(l, &is_met, e)))
		return false;
	if (!is_met) {
		l->out->status = 1;
		return true;
	}
	json_set_null(l->run.manifest, "ended");
	if (!open_memory(l, e) || !steps(l, e))
		return false;
	const struct json *m = l->run.manifest;
	bool has_best = json_i64(m, "best_iteration", -1) >= 0 || json_i64(m, "best_measured", -1) >= 0;
	if (l->o->proposer) /* the run is over: it passed when something of it can be used */
		l->out->status = has_best ? 0 : 1;
	return true;
}

/* The user's signal: what is there is summed up, and the same command goes on from it. */
static void note_interruption(struct loop *l, struct err *e)
{
	struct err ignored;
	struct json *x = json_set_object(l->run.manifest, "interrupted");
	char now[25];
	clock_utc_iso(now);
	json_set_i64(x, "iteration", (int64_t)l->i);
	json_set_cstr(x, "at", now);
	if (!run_save(&l->run, &ignored) || !final_write(&l->run, &ignored))
		loop_say(l, ignored.text);
	err_set(e, ERR_INTERRUPTED, "interrupted at v%zu; the same command with --run-dir=%s goes on from here", l->i,
		l->run.folder);
}

static void describe_run(struct loop *l)
{
	const struct bench_options *b = &l->o->bench;
	struct json *m = l->run.manifest;
	if (run_is_new(&l->run)) {
		json_set_cstr(m, "suffix", path_ext(b->input.path));
		json_set_cstr(m, "source_file", path_absolute(l->arena, b->input.path));
		json_set_cstr(m, "backend", backend_name(l->op.backend));
		json_set_cstr(m, "run_dir", l->run.folder);
	}
	json_set_cstr(m, "claim_layer", "kernel");
	json_set_bool(m, "formal", false);
	json_set_i64(m, "max_iterations", l->o->max_iterations);
	json_set_i64(m, "warmup", b->n_warmup);
	json_set_i64(m, "repeat", b->n_repeat);
	json_set_i64(m, "gpu", b->i_gpu);
	json_set_cstr(m, "arch", b->arch ? b->arch : "");
	json_set_cstr(m, "command", b->command);
}

/* A run that is gone on with is read with what its v0 froze: the version need not have its files beside it. */
static void go_on_with(struct run *r, struct operator_input *in)
{
	struct operator_input frozen = *in;
	run_frozen_input(r, &frozen);
	if (!in->ref)
		in->ref = frozen.ref;
	if (!in->op_file)
		in->op_file = frozen.op_file;
	in->flags = frozen.flags;
}

static bool open_run(struct loop *l, struct loop_options *o, struct err *e)
{
	struct operator_input *in = &o->bench.input;
	in->flags |= o->flags & LOOP_PREFLIGHT_ONLY ? OPERATOR_ANY_SIZE : 0u;
	const char *folder = o->run_dir ? o->run_dir : new_folder(l->arena, in->path);
	bool is_there = file_exists(path_join(l->arena, folder, "run_manifest.json"));
	/* A call that cannot be read leaves no folder behind. */
	if (!is_there)
		return operator_read(&l->op, l->arena, in, e) && run_open(&l->run, l->arena, folder, e);
	if (!run_open(&l->run, l->arena, folder, e))
		return false;
	go_on_with(&l->run, in);
	if (operator_read(&l->op, l->arena, in, e))
		return true;
	run_close(&l->run);
	return false;
}

bool loop_run(struct loop_result *out, struct arena *a, const struct loop_options *o, struct err *e)
{
	struct loop_options own = *o;
	struct loop l = {.o = &own,
			 .hands = o->hands ? o->hands : &loop_real_hands,
			 .arena = a,
			 .out = out,
			 .path = o->bench.input.path};
	*out = (struct loop_result){.state = json_object(a)};
	/* A run is not given up because someone else measures just now; the wait is announced. */
	if (own.bench.wait_s <= 0)
		own.bench.wait_s = LOOP_WAIT_S;
	if (!open_run(&l, &own, e))
		return false;
	loop_say(&l, arena_printf(a, "run folder: %s", l.run.folder));
	describe_run(&l);
	progress_folder(l.run.folder, own.bench.command);
	progress_begin("optimize");
	bool ok = with_run(&l, e);
	progress_end();
	if (!ok && e && e->code == ERR_INTERRUPTED)
		note_interruption(&l, e);
	progress_folder(NULL, NULL);
	memory_close(l.memory);
	run_close(&l.run);
	return ok;
}
