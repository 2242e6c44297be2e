/* What a call of the loop would do.
 * In: the loop's options, a run folder that may be there. Out: steps of one version, how many versions, places.
 * The run is looked at as `watch` does.
 * Never: makes the run folder; takes its lock. */
#include <math.h>

#include "base/file.h"
#include "build/tool.h"
#include "loop/live.h"
#include "loop/loop.h"
#include "loop/memory.h"
#include "measure/configs.h"
#include "verb/bench_configs.h"
#include "verb/dry_run.h"

/* What v0 froze stands for what this call does not name. */
static void take_frozen(struct operator_input *in, struct arena *a, const char *folder)
{
	struct err ignored;
	const struct json *m = json_read_file(a, path_join(a, folder, "run_manifest.json"), JSON_STRICT, &ignored);
	struct str ref = json_str(json_get(m, "frozen"), "reference", STR("")),
		   op_file = json_str(json_get(m, "frozen"), "op_file", STR(""));
	if (!in->ref && ref.n)
		in->ref = arena_strndup(a, ref.p, ref.n);
	if (!in->op_file && op_file.n)
		in->op_file = arena_strndup(a, op_file.p, op_file.n);
	if (m)
		in->flags |= OPERATOR_NO_SEARCH;
}

static bool look_at_run(struct dry_run *d, const struct loop_options *o, size_t *n_done, struct err *e)
{
	struct arena *a = d->call->arena;
	struct json *now;
	*n_done = 0;
	if (!o->run_dir || !file_exists(o->run_dir)) {
		dry_fact(d, "run", o->run_dir ? arena_printf(a, "new: %s", o->run_dir) : "new, below ./assay-runs");
		return true;
	}
	if (!file_exists(path_join(a, o->run_dir, "run_manifest.json")) &&
	    !file_exists(path_join(a, o->run_dir, ".live.json"))) {
		dry_fact(d, "run", arena_printf(a, "new, in the folder %s that is there", o->run_dir));
		return true;
	}
	if (!live_read(&now, a, o->run_dir, e))
		return false;
	struct str state = json_str(now, "state", STR("?"));
	*n_done = json_get(now, "versions")->n;
	if (str_is(state, "running"))
		return err_set(e, ERR_BUSY, "%s: another process works in this run folder; assay watch shows it",
			       o->run_dir);
	dry_fact(d, "run",
		 arena_printf(a, "%s, %.*s, with %zu version%s", o->run_dir, STR_ARG(state), *n_done,
			      *n_done == 1 ? "" : "s"));
	return true;
}

static bool do_reports(struct dry_run *d, const struct loop_options *o, bool is_gpu, struct err *e)
{
	struct arena *a = d->call->arena;
	const char *ncu = is_gpu ? tool_find(a, "ncu", o->ncu) : NULL;
	if (o->flags & LOOP_WITHOUT_PROFILE) {
		dry_step(d, "reports", NAN, "none: --without-profile; no version is then best by the seed's rule");
		return true;
	}
	if (is_gpu && !ncu)
		return err_set(
			e, ERR_ENVIRONMENT,
			"ncu was not found: install Nsight Compute, name it with --ncu-bin, or say --without-profile");
	const char *what = !is_gpu ? "targeted and full, by the CPU's counters"
			   : o->flags & LOOP_ONE_COLLECTION
				   ? arena_printf(a, "full, targeted as a view of it, by %s", ncu)
				   : arena_printf(a, "targeted and full, one collection each, by %s", ncu);
	dry_step(d, "reports", NAN,
		 arena_printf(a, "%s; a collection is ended after %.15g s", what, o->profile_timeout_s));
	return true;
}

static void put_count(struct dry_run *d, const struct loop_options *o, size_t n_done, double before_s)
{
	struct arena *a = d->call->arena;
	long long most = (long long)o->max_iterations;
	double one = d->seconds - before_s, n = o->proposer ? (double)(o->max_iterations + 1) - (double)n_done : 1;
	if (o->proposer)
		dry_fact(d, "versions",
			 arena_printf(a,
				      "v%zu to v%lld, each as the steps below say; `%s` writes each next one, "
				      "in at most %.15g s",
				      n_done, most, o->proposer, o->proposer_timeout_s));
	else
		dry_fact(d, "versions",
			 arena_printf(a, "v%lld of v0 to v%lld; the next one is left to the caller",
				      o->iteration >= 0 ? (long long)o->iteration : (long long)n_done, most));
	d->seconds = before_s + one * (n > 0 ? n : 0);
}

static void put_places(struct dry_run *d, const struct loop_options *o)
{
	struct arena *a = d->call->arena;
	const char *stem = path_stem(a, o->bench.input.path);
	dry_write(d, o->run_dir ? o->run_dir : arena_printf(a, "assay-runs/%s-<UTC>", stem),
		  "manifest, a folder a version, final summary");
	dry_write(d, o->memory_dir ? o->memory_dir : memory_default_folder(a), "the strategy memory");
	dry_record(d, o->bench.store);
}

static bool do_set(struct dry_run *d, const struct bench_options *b, const char *set, struct err *e)
{
	struct configs c;
	if (!configs_open(&c, d->call->arena, set, b, e) || !bench_configs_dry_builds(d, &c, e))
		return false;
	dry_step(d, "choice", NAN,
		 arena_printf(c.arena,
			      "a bench of each of the %zu; the lowest median of those that pass is the version, "
			      "benched again as below",
			      c.set.n));
	return true;
}

bool dry_loop(struct dry_run *d, const struct loop_options *o, struct err *e)
{
	struct loop_options own = *o;
	struct arena *a = d->call->arena;
	struct operator op;
	struct lab_device device;
	struct json *facts;
	size_t n_done;
	if (own.bench.wait_s <= 0)
		own.bench.wait_s = LOOP_WAIT_S;
	if (!look_at_run(d, &own, &n_done, e))
		return false;
	if (n_done)
		take_frozen(&own.bench.input, a, own.run_dir);
	if (!operator_read(&op, a, &own.bench.input, e) ||
	    !device_choose(&device, &facts, a, operator_device(&op), own.bench.i_gpu, e))
		return false;
	dry_operator(d, "kernel", &op);
	dry_device(d, &device);
	double before_s = d->seconds;
	if (!n_done)
		dry_step(d, "preflight", NAN, "tools, drivers, counters; prerequisites of v0");
	dry_step(d, "gate", NAN, "the proposal against the report and the strategy memory; v0 has none");
	const char *set = backend_is_python(op.backend) ? NULL : config_set_beside(a, own.bench.input.path);
	if (set ? !do_set(d, &own.bench, set, e) : !dry_build(d, "build", &op, &device, &own.bench, e))
		return false;
	dry_bench(d, &op, &device, &own.bench);
	if (!do_reports(d, &own, device.gpu != NULL, e))
		return false;
	dry_step(d, "comparison", own.compare_budget_s, "with the version before it, in turn");
	put_count(d, &own, n_done, before_s);
	dry_step(d, "end", own.compare_budget_s, "the first in rank against v0, on fresh placements and data");
	put_places(d, &own);
	return true;
}
