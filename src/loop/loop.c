/* The loop.
 * In: options. Out: a run folder with one more version (or all of them, with a proposer), and the state.
 * Order: folder and lock, preflight, check, frozen inputs, version, best, summary, proposer.
 * Never: writes a kernel, picks a direction, promotes anything. */
#include "loop/loop.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include "collect/preflight.h"
#include "loop/best.h"
#include "loop/frozen.h"
#include "loop/iterate.h"
#include "loop/proposer.h"
#include "loop/text.h"
#include "operator/check.h"

struct loop {
	const struct loop_options *o;
	struct arena *arena;
	struct run run;
	struct operator op;
	struct loop_result *out;
	const char *path; /* the version to evaluate */
	size_t i;
};

static void say(const struct loop *l, const char *text)
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
	bool is_gpu = l->op.backend != BACKEND_C;
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
	if (!preflight_run(&got, l->arena, &p, e) || !preflight_write(&got, l->run.folder, e))
		return false;
	*is_ready = got.missing == NULL;
	if (got.missing)
		return err_set(e, ERR_ENVIRONMENT, "preflight: %s (%s/preflight_check.md has the rest)", got.missing,
			       l->run.folder);
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
			say(l, arena_printf(l->arena, "%s: %s: %s", c.items[i].key, c.items[i].found,
					    check_answer_text(c.items[i].answer)));
			json_set_cstr(l->out->state, "prerequisite", c.items[i].key);
			json_set_cstr(l->out->state, "answer", check_answer_text(c.items[i].answer));
		}
	}
	return true;
}

static bool choose_iteration(struct loop *l, struct err *e)
{
	size_t next = run_n_iterations(&l->run);
	int64_t wanted = l->o->iteration;
	l->i = wanted < 0 ? next : (size_t)wanted;
	if (l->i > (size_t)l->o->max_iterations)
		return err_set(e, ERR_USAGE, "version %zu is beyond --max-iterations=%lld (v0 to v%lld)", l->i,
			       (long long)l->o->max_iterations, (long long)l->o->max_iterations);
	if (l->i > next)
		return err_set(e, ERR_USAGE, "--iteration=%zu: version %zu comes first in %s", l->i, next,
			       l->run.folder);
	return true;
}

static struct json *report_paths(struct loop *l, const struct json *it)
{
	static const char *const keys[] = {"targeted_report", "full_report"};
	struct json *j = json_object(l->arena);
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		json_set(j, keys[i], json_get(it, keys[i]) ? json_get(it, keys[i]) : json_new_null(l->arena));
	const char *folder = run_iteration_folder(&l->run, l->i);
	json_set_cstr(j, "full_details", arena_printf(l->arena, "%s/full_details.txt", folder));
	json_set_cstr(j, "full_summary", arena_printf(l->arena, "%s/full_summary.txt", folder));
	return j;
}

static void put_state(struct loop *l, const struct json *it)
{
	struct json *s = l->out->state;
	const char *folder = run_iteration_folder(&l->run, l->i);
	bool is_last = l->i >= (size_t)l->o->max_iterations;
	json_set_cstr(s, "run_dir", l->run.folder);
	json_set_i64(s, "iteration", (int64_t)l->i);
	json_set_i64(s, "max_iterations", l->o->max_iterations);
	json_set_cstr(s, "backend", backend_name(l->op.backend));
	json_set(s, "current_path", json_get(it, "path"));
	json_set_cstr(s, "next_path", is_last ? NULL : run_next_path(&l->run, l->i + 1));
	json_set_cstr(s, "proposal_path",
		      is_last ? NULL : arena_printf(l->arena, "%s/optimization_proposal.md", folder));
	json_set(s, "report", report_paths(l, it));
	json_set_cstr(s, "benchmark_result", arena_printf(l->arena, "%s/benchmark_result.json", folder));
	json_set(s, "status", json_get(it, "status"));
	json_set(s, "verdict", json_get(it, "verdict"));
	json_set(s, "eligible", json_get(it, "eligible"));
	json_set(s, "best_iteration", json_get(l->run.manifest, "best_iteration"));
	json_set_cstr(s, "final_summary", path_join(l->arena, l->run.folder, "final_summary.md"));
	json_set_cstr(s, "claim_layer", "kernel");
	json_set_bool(s, "formal", false);
}

static bool one_version(struct loop *l, struct err *e)
{
	struct loop_options o = *l->o;
	struct json *it = NULL;
	o.bench.input.path = l->path;
	if (!iterate(&it, &l->run, &o, l->i, e))
		return false;
	best_choose(&l->run);
	if (!run_save(&l->run, e) || !text_final(&l->run, e))
		return false;
	put_state(l, it);
	double ms = json_f64(it, "median_ms", -1);
	say(l, ms >= 0 ? arena_printf(l->arena, "v%zu %s, median %.6g ms", l->i, verdict_word(VERDICT_PASSED), ms)
		       : arena_printf(l->arena, "v%zu %.*s", l->i, STR_ARG(json_str(it, "verdict", STR("?")))));
	l->out->status = json_bool(it, "rejected", false) ? 1 : 0;
	return true;
}

static bool with_run(struct loop *l, struct err *e)
{
	bool is_ready = false, is_met = true;
	if (!frozen_check(&l->run, &l->op, l->o, e) || !do_preflight(l, &is_ready, e))
		return false;
	if (l->o->flags & LOOP_PREFLIGHT_ONLY) {
		json_set_cstr(l->out->state, "run_dir", l->run.folder);
		json_set_cstr(l->out->state, "preflight", path_join(l->arena, l->run.folder, "preflight_check.json"));
		return true;
	}
	if (!choose_iteration(l, e) || (l->i == 0 && !do_check(l, &is_met, e)))
		return false;
	if (!is_met) {
		l->out->status = 1;
		return true;
	}
	if (!one_version(l, e))
		return false;
	while (l->o->proposer && l->i < (size_t)l->o->max_iterations) {
		if (!proposer_run(&l->run, l->out->state, l->o, e))
			return false;
		l->path = run_next_path(&l->run, ++l->i);
		if (!one_version(l, e))
			return false;
	}
	if (l->o->proposer) /* the run is over: it passed when something of it can be used */
		l->out->status = json_get(l->run.manifest, "best_iteration")->type == JSON_INT ? 0 : 1;
	return true;
}

bool loop_run(struct loop_result *out, struct arena *a, const struct loop_options *o, struct err *e)
{
	struct loop l = {.o = o, .arena = a, .out = out, .path = o->bench.input.path};
	*out = (struct loop_result){.state = json_object(a)};
	if (!operator_read(&l.op, a, &o->bench.input, e))
		return false;
	const char *folder = o->run_dir ? o->run_dir : new_folder(a, o->bench.input.path);
	if (!run_open(&l.run, a, folder, e))
		return false;
	say(&l, arena_printf(a, "run folder: %s", l.run.folder));
	if (run_is_new(&l.run))
		json_set_cstr(l.run.manifest, "suffix", path_ext(o->bench.input.path));
	json_set_i64(l.run.manifest, "max_iterations", o->max_iterations);
	json_set_cstr(l.run.manifest, "command", o->bench.command);
	bool ok = with_run(&l, e);
	run_close(&l.run);
	return ok;
}
