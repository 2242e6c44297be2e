/* One kernel in a set of configurations.
 * In: a kernel file, a set. Out: the plan, a bench of each configuration, one document of all.
 * Compilers are done before anything is measured; each bench then takes its object from the cache.
 * Never: chooses one; leaves one out of the list. */
#include "verb/bench_configs.h"

#include <math.h>

#include "base/progress.h"
#include "base/scratch.h"
#include "base/version.h"
#include "operator/config_set.h"
#include "store/object.h"
#include "verb/dry_run.h"

struct tried {
	const struct config *config;
	struct artifact artifact;
	enum verdict verdict;
	const char *text, *record;
	double median_ns, mean_ns, build_s;
	const char *source;
	bool has_time;
};
struct work {
	const struct bench_configs *o;
	struct verb_call *call;
	struct arena *arena;
	struct config_set set;
	struct operator op;
	struct lab_device device;
	struct json *plan;
	char plan_id[STORE_ID_MAX];
	struct tried *tried;
};

static bool read_all(struct work *w, struct err *e)
{
	const struct bench_options *b = w->o->bench;
	struct json *facts;
	if (!config_set_read(&w->set, w->arena, w->o->path, e) || !operator_read(&w->op, w->arena, &b->input, e))
		return false;
	if (w->op.linkage == LINKAGE_PYTHON)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: --configs sets macros of a kernel that is compiled; a .py chooses its own "
			       "(triton.autotune)",
			       b->input.path);
	return device_choose(&w->device, &facts, w->arena, operator_device(&w->op), b->i_gpu, e);
}

static const char *flags_of(const struct work *w, size_t i)
{
	const char *own = w->o->bench->flags, *switches = w->set.items[i].switches;
	return own ? arena_printf(w->arena, "%s %s", own, switches) : switches;
}

static bool make_plan(struct work *w, struct err *e)
{
	struct json *j = w->plan = json_object(w->arena);
	json_set_cstr(j, "format", "assay/configs-plan-v1");
	json_set(j, "tool", version_json(w->arena));
	json_set_cstr(j, "kernel", w->o->bench->input.path);
	json_set_cstr(j, "kernel_sha256", w->op.kernel.sha256);
	json_set_cstr(j, "set", w->set.path);
	json_set(j, "configurations", config_set_json(&w->set, w->arena));
	json_set_cstr(j, "fallback", w->set.items[w->set.i_fallback].id);
	json_set_u64(j, "n_builds", w->set.n);
	json_set_u64(j, "n_excluded", w->set.n_excluded);
	struct store *store = store_open(w->o->bench->store, e);
	bool ok = store && store_record(store, "configs-plan", j, w->plan_id, e);
	store_close(store);
	return ok;
}

static void say_plan(struct work *w)
{
	struct buf *out = w->call->out;
	if (w->o->common->json)
		return;
	buf_printf(out, "%s in %zu configuration%s of %s, as many builds; fallback %s\n", w->o->bench->input.path,
		   w->set.n, w->set.n == 1 ? "" : "s", w->set.path, w->set.items[w->set.i_fallback].id);
	if (w->set.n_excluded)
		buf_printf(out, "%zu more of the product are left out by its conditions\n", w->set.n_excluded);
	buf_printf(out, "plan       %s\n", w->plan_id);
	verb_flush(w->call);
}

static bool build_one(struct work *w, size_t i, const char *folder, struct err *e)
{
	static const enum verdict verdicts[] = {VERDICT_UNCHECKED, VERDICT_BUILD_FAILED, VERDICT_BUILD_TIMEOUT,
						VERDICT_NO_ENTRY};
	const struct bench_options *b = w->o->bench;
	struct tried *t = &w->tried[i];
	struct build_options build = {.source = b->input.path,
				      .language = w->op.backend == BACKEND_C ? BUILD_C : BUILD_CUDA,
				      .entry = arena_strndup(w->arena, w->op.entry.p, w->op.entry.n),
				      .sm = w->device.sm,
				      .arch = b->arch,
				      .flags = flags_of(w, i),
				      .nvcc = b->nvcc,
				      .folder = arena_printf(w->arena, "%s/%zu", folder, i),
				      .name = "kernel",
				      .options = b->options & BENCH_NO_CACHE ? BUILD_NO_CACHE : 0u,
				      .cutlass = w->op.backend == BACKEND_CUTLASS};
	t->config = &w->set.items[i];
	progress_count("builds", i, w->set.n);
	if (!build_make(&t->artifact, w->arena, &build, e))
		return false;
	t->verdict = verdicts[t->artifact.result];
	t->text = t->artifact.message ? t->artifact.message : "";
	t->build_s = (double)t->artifact.compile_ns / 1e9;
	return true;
}

static bool measure_one(struct work *w, size_t i, struct err *e)
{
	struct tried *t = &w->tried[i];
	struct bench_options b = *w->o->bench;
	struct bench got;
	if (t->artifact.result != BUILD_OK)
		return true;
	b.flags = flags_of(w, i);
	if (!bench_run(&got, w->arena, &b, e))
		return false;
	t->verdict = got.verdict;
	t->text = got.text;
	t->record = arena_strdup(w->arena, got.id);
	t->has_time = got.has_time && verdict_exit(got.verdict) == 0;
	t->median_ns = got.median_ns;
	t->mean_ns = got.trimmed_ns;
	struct str source = json_str(json_get(got.record, "kernel"), "source", STR(""));
	t->source = source.n ? arena_strndup(w->arena, source.p, source.n) : NULL;
	return true;
}

static struct json *result_of(const struct work *w, const struct tried *t)
{
	struct json *x = json_object(w->arena);
	json_set_cstr(x, "id", t->config->id);
	json_set_cstr(x, "switches", t->config->switches);
	json_set(x, "values", t->config->values);
	json_set_cstr(x, "verdict", verdict_word(t->verdict));
	json_set_cstr(x, "text", t->text);
	json_set_cstr(x, "record", t->record);
	json_set_f64(x, "build_s", t->build_s);
	json_set_bool(x, "from_cache", t->artifact.from_cache);
	json_set_cstr(x, "binary_sha256", t->artifact.library ? t->artifact.sha256 : NULL);
	json_set_f64(x, "median_ns", t->has_time ? t->median_ns : NAN);
	json_set_f64(x, "trimmed_mean_ns", t->has_time ? t->mean_ns : NAN);
	json_set_cstr(x, "source", t->has_time ? t->source : NULL);
	return x;
}

static struct json *document(struct work *w)
{
	struct json *j = json_object(w->arena), *list = json_set_array(j, "results");
	json_set_cstr(j, "format", "assay/configs-v1");
	json_set(j, "tool", version_json(w->arena));
	json_set_cstr(j, "command", w->o->bench->command);
	json_set_cstr(j, "plan_record", w->plan_id);
	json_set(j, "plan", w->plan);
	for (size_t i = 0; i < w->set.n; i++)
		json_push(list, result_of(w, &w->tried[i]));
	return j;
}

static double lowest_ns(const struct work *w)
{
	double low = INFINITY;
	for (size_t i = 0; i < w->set.n; i++)
		low = w->tried[i].has_time ? fmin(low, w->tried[i].median_ns) : low;
	return low;
}

static void put_text(struct work *w, const char *id)
{
	struct arena *a = w->arena;
	struct term_table *t = term_table_new(a, "configuration|verdict|>build|>median|>to the lowest");
	double low = lowest_ns(w);
	for (size_t i = 0; i < w->set.n; i++) {
		const struct tried *x = &w->tried[i];
		term_table_cell(t, str_from(arena_printf(a, "%s%s", x->config->id,
							 i == w->set.i_fallback ? " (fallback)" : "")));
		term_table_cell(t, str_from(verdict_word(x->verdict)));
		term_table_cell(t, str_from(term_time(a, x->build_s * 1e9)));
		term_table_cell(t, str_from(x->has_time ? term_time(a, x->median_ns) : "-"));
		term_table_cell(t, str_from(x->has_time ? arena_printf(a, "%.3fx", x->median_ns / low) : "-"));
		term_table_end_row(t);
	}
	term_table_write(t, &w->call->term, w->call->out);
	for (size_t i = 0; i < w->set.n; i++) {
		const struct tried *x = &w->tried[i];
		if (verdict_exit(x->verdict) != 0)
			buf_printf(w->call->out, "%s: %s\n", x->config->id,
				   *x->text ? x->text : verdict_text(x->verdict));
	}
	buf_printf(w->call->out,
		   "Each was benched by itself; `assay compare FILE::SWITCHES FILE::SWITCHES` lets two take turns.\n"
		   "record     %s\n",
		   id);
}

static bool conclude(struct work *w, struct err *e)
{
	struct json *doc = document(w);
	char id[STORE_ID_MAX];
	struct store *store = store_open(w->o->bench->store, e);
	bool ok = store && store_record(store, "configs", doc, id, e);
	store_close(store);
	if (!ok)
		return false;
	json_set_cstr(doc, "id", id);
	if (w->o->json_out && !verb_write_json(w->o->json_out, doc, e))
		return false;
	w->call->status = 1;
	for (size_t i = 0; i < w->set.n; i++)
		w->call->status = verdict_exit(w->tried[i].verdict) == 0 ? 0 : w->call->status;
	if (w->o->common->json)
		verb_put_json(w->call, doc);
	else
		put_text(w, id);
	return true;
}

static bool build_all(struct work *w, struct err *e)
{
	struct scratch scratch;
	if (!scratch_make(&scratch, w->arena, "configs", e))
		return false;
	progress_begin("%zu configurations", w->set.n);
	bool ok = true;
	for (size_t i = 0; ok && i < w->set.n; i++)
		ok = build_one(w, i, scratch.path, e);
	progress_end();
	scratch_remove(&scratch);
	return ok;
}

bool bench_configs(const struct bench_configs *o, struct verb_call *call, struct err *e)
{
	struct work w = {.o = o, .call = call, .arena = call->arena};
	if (!read_all(&w, e) || !make_plan(&w, e))
		return false;
	w.tried = ARENA_ARRAY(w.arena, w.set.n, struct tried);
	say_plan(&w);
	if (!build_all(&w, e))
		return false;
	for (size_t i = 0; i < w.set.n; i++) {
		if (!measure_one(&w, i, e))
			return false;
	}
	return conclude(&w, e);
}

bool bench_configs_dry(struct dry_run *d, const struct bench_configs *o, struct err *e)
{
	struct work w = {.o = o, .call = d->call, .arena = d->call->arena};
	if (!read_all(&w, e))
		return false;
	dry_operator(d, "kernel", &w.op);
	dry_device(d, &w.device);
	dry_fact(d, "set",
		 arena_printf(w.arena, "%s: %zu builds, %zu left out by conditions, fallback %s", o->path, w.set.n,
			      w.set.n_excluded, w.set.items[w.set.i_fallback].id));
	for (size_t i = 0; i < w.set.n; i++) {
		struct bench_options b = *o->bench;
		b.flags = flags_of(&w, i);
		if (!dry_build(d, w.set.items[i].id, &w.op, &w.device, &b, e))
			return false;
	}
	dry_step(d, "bench", NAN,
		 arena_printf(w.arena, "of each of the %zu, one after the other, each with its steps", w.set.n));
	dry_record(d, o->bench->store);
	return true;
}
