/* One kernel in a set of configurations.
 * In: a kernel file, a set. Out: the plan, a bench of each configuration, their order, one document of all.
 * Compilers are done before anything is measured; each bench then takes its object from the cache.
 * Never: leaves one out of the list; ranks times of two clocks. */
#include "measure/configs.h"

#include <math.h>

#include "base/progress.h"
#include "base/scratch.h"
#include "base/version.h"
#include "store/lease.h"
#include "store/object.h"

bool configs_open(struct configs *out, struct arena *a, const char *set, const struct bench_options *b, struct err *e)
{
	struct json *facts;
	*out = (struct configs){.arena = a, .bench = *b};
	if (!config_set_read(&out->set, a, set, e) || !operator_read(&out->op, a, &b->input, e))
		return false;
	if (out->op.linkage == LINKAGE_PYTHON)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: %s sets macros of a kernel that is compiled; a .py chooses its own "
			       "(triton.autotune)",
			       b->input.path, set);
	out->tried = ARENA_ARRAY(a, out->set.n, struct configs_tried);
	out->order = ARENA_ARRAY(a, out->set.n, size_t);
	for (size_t i = 0; i < out->set.n; i++)
		out->tried[i] = (struct configs_tried){.config = &out->set.items[i],
						       .verdict = VERDICT_NOT_STARTED,
						       .text = "",
						       .rank_ns = NAN,
						       .rank_mean_ns = NAN};
	return device_choose(&out->device, &facts, a, operator_device(&out->op), b->i_gpu, e);
}

const char *configs_flags(const struct configs *c, size_t i)
{
	const char *own = c->bench.flags, *switches = c->set.items[i].switches;
	return own ? arena_printf(c->arena, "%s %s", own, switches) : switches;
}

static bool record(const struct configs *c, const char *kind, const struct json *doc, char id[STORE_ID_MAX],
		   struct err *e)
{
	struct store *store = store_open(c->bench.store, e);
	bool ok = store && store_record(store, kind, doc, id, e);
	store_close(store);
	return ok;
}

bool configs_plan(struct configs *c, struct err *e)
{
	struct json *j = c->plan = json_object(c->arena);
	json_set_cstr(j, "format", "assay/configs-plan-v1");
	json_set(j, "tool", version_json(c->arena));
	json_set_cstr(j, "kernel", c->bench.input.path);
	json_set_cstr(j, "kernel_sha256", c->op.kernel.sha256);
	json_set_cstr(j, "set", c->set.path);
	json_set(j, "configurations", config_set_json(&c->set, c->arena));
	json_set_cstr(j, "fallback", c->set.items[c->set.i_fallback].id);
	json_set_u64(j, "n_builds", c->set.n);
	json_set_u64(j, "n_excluded", c->set.n_excluded);
	return record(c, "configs-plan", j, c->plan_id, e);
}

static bool build_one(struct configs *c, size_t i, const char *folder, struct err *e)
{
	static const enum verdict verdicts[] = {VERDICT_NOT_STARTED, VERDICT_BUILD_FAILED, VERDICT_BUILD_TIMEOUT,
						VERDICT_NO_ENTRY};
	const struct bench_options *b = &c->bench;
	struct configs_tried *t = &c->tried[i];
	struct build_options build = {.source = b->input.path,
				      .language = c->op.backend == BACKEND_C ? BUILD_C : BUILD_CUDA,
				      .entry = arena_strndup(c->arena, c->op.entry.p, c->op.entry.n),
				      .sm = c->device.sm,
				      .arch = b->arch,
				      .flags = configs_flags(c, i),
				      .nvcc = b->nvcc,
				      .folder = arena_printf(c->arena, "%s/%zu", folder, i),
				      .name = "kernel",
				      .options = b->options & BENCH_NO_CACHE ? BUILD_NO_CACHE : 0u,
				      .cutlass = c->op.backend == BACKEND_CUTLASS};
	progress_count("builds", i, c->set.n);
	if (!build_make(&t->artifact, c->arena, &build, e))
		return false;
	t->verdict = verdicts[t->artifact.result];
	t->text = t->artifact.message ? t->artifact.message : "";
	return true;
}

static bool build_all(struct configs *c, struct err *e)
{
	struct scratch scratch;
	if (!scratch_make(&scratch, c->arena, "configs", e))
		return false;
	bool ok = true;
	for (size_t i = 0; ok && i < c->set.n; i++)
		ok = build_one(c, i, scratch.path, e);
	scratch_remove(&scratch);
	return ok;
}

static bool measure_one(struct configs *c, size_t i, struct err *e)
{
	struct configs_tried *t = &c->tried[i];
	struct bench_options b = c->bench;
	if (t->artifact.result != BUILD_OK)
		return true;
	b.flags = configs_flags(c, i);
	b.wait_s = -1;
	struct bench *got = ARENA_NEW(c->arena, struct bench);
	progress_count("configurations", i, c->set.n);
	if (!bench_run(got, c->arena, &b, e))
		return false;
	t->bench = got;
	t->verdict = t->bench->verdict;
	t->text = t->bench->text ? t->bench->text : "";
	if (verdict_exit(t->verdict) > 1)
		c->stopped_by = t;
	return true;
}

static bool is_timed(const struct configs_tried *t)
{
	return t->bench && t->bench->has_time && verdict_exit(t->verdict) == 0;
}

static const char *source_of(const struct configs *c, const struct configs_tried *t)
{
	struct str source = json_str(json_get(t->bench->record, "kernel"), "source", STR(""));
	return arena_strndup(c->arena, source.n ? source.p : "", source.n);
}

/* Its cold calls by one clock; false: it has none. */
static bool time_of(const struct configs_tried *t, const char *source, double *median_ns, double *mean_ns)
{
	static const char *const series[] = {"cold", "events"};
	const struct json *kernel = json_get(t->bench->record, "kernel");
	for (size_t i = 0; i < COUNT_OF(series); i++) {
		const struct json *x = json_get(kernel, series[i]), *summary = json_get(x, "summary");
		if (!str_is(json_str(x, "source", STR("")), source))
			continue;
		*median_ns = json_f64(summary, "median_ns", NAN);
		*mean_ns = json_f64(summary, "mean_ns", NAN);
		return isfinite(*median_ns) && isfinite(*mean_ns);
	}
	return false;
}

/* The clock that all of those that passed have, their own one first. Where there is none: that of the first of them. */
static const char *common_source(const struct configs *c)
{
	const char *sources[] = {NULL, timing_source_name(TIMING_EVENT), timing_source_name(TIMING_RECORD),
				 timing_source_name(TIMING_HOST)};
	double median, mean;
	for (size_t i = 0; i < c->set.n && !sources[0]; i++)
		sources[0] = is_timed(&c->tried[i]) ? source_of(c, &c->tried[i]) : NULL;
	for (size_t k = 0; sources[0] && k < COUNT_OF(sources); k++) {
		bool all = true;
		for (size_t i = 0; all && i < c->set.n; i++)
			all = !is_timed(&c->tried[i]) || time_of(&c->tried[i], sources[k], &median, &mean);
		if (all)
			return sources[k];
	}
	return sources[0];
}

static bool is_before(const struct configs_tried *a, const struct configs_tried *b)
{
	return a->rank_ns != b->rank_ns ? a->rank_ns < b->rank_ns : a->rank_mean_ns < b->rank_mean_ns;
}

static void rank(struct configs *c)
{
	c->ranking_source = common_source(c);
	c->i_untimed = c->set.n;
	for (size_t i = 0; i < c->set.n; i++) {
		struct configs_tried *t = &c->tried[i];
		if (!is_timed(t) || !time_of(t, c->ranking_source, &t->rank_ns, &t->rank_mean_ns))
			continue;
		size_t at = c->n_ranked++;
		for (; at > 0 && is_before(t, &c->tried[c->order[at - 1]]); at--)
			c->order[at] = c->order[at - 1];
		c->order[at] = i;
	}
	for (size_t i = c->set.n; i-- > 0 && !c->n_ranked;) {
		if (verdict_exit(c->tried[i].verdict) == 0)
			c->i_untimed = i;
	}
}

/* One lease for all: between two of them nobody else gets the device, and nobody ends the set by it. */
static bool measure_all(struct configs *c, struct err *e)
{
	struct lease *lease = NULL;
	const char *note =
		arena_printf(c->arena, "bench %s in %zu configurations", path_base(c->bench.input.path), c->set.n);
	int64_t wait = c->bench.wait_s > 0 ? (int64_t)(c->bench.wait_s * 1e9) : 0;
	bool ok = c->bench.wait_s < 0 || lease_take(&lease, c->device.lease, wait, note, e);
	for (size_t i = 0; ok && !c->stopped_by && i < c->set.n; i++)
		ok = measure_one(c, i, e);
	lease_free(lease);
	return ok;
}

bool configs_run(struct configs *c, struct err *e)
{
	progress_begin("%zu configurations", c->set.n);
	bool ok = build_all(c, e) && measure_all(c, e);
	progress_end();
	if (!ok)
		c->stopped = arena_strdup(c->arena, e->text);
	rank(c);
	return ok;
}

static void put_bench(struct json *x, const struct configs_tried *t, const struct bench *b)
{
	bool has_time = b && b->has_time && verdict_exit(b->verdict) == 0;
	const struct json *source = has_time ? json_path(b->record, "kernel.source") : NULL;
	json_set_cstr(x, "verdict", verdict_word(b ? b->verdict : t->verdict));
	json_set_cstr(x, "text", b ? (b->text ? b->text : "") : t->text);
	json_set_cstr(x, "record", b ? b->id : NULL);
	json_set_f64(x, "median_ns", has_time ? b->median_ns : NAN);
	json_set_f64(x, "trimmed_mean_ns", has_time ? b->trimmed_ns : NAN);
	if (source)
		json_set_str(x, "source", source->text);
	else
		json_set_null(x, "source");
}

static struct json *result_of(const struct configs *c, const struct configs_tried *t)
{
	struct json *x = json_object(c->arena);
	json_set_cstr(x, "id", t->config->id);
	json_set_cstr(x, "switches", t->config->switches);
	json_set(x, "values", t->config->values);
	json_set_f64(x, "build_s", (double)t->artifact.compile_ns / 1e9);
	json_set_bool(x, "from_cache", t->artifact.from_cache);
	json_set_cstr(x, "binary_sha256", t->artifact.library ? t->artifact.sha256 : NULL);
	json_set_f64(x, "ranking_median_ns", t->rank_ns);
	put_bench(x, t, t->bench);
	if (t->second)
		put_bench(json_set_object(x, "second"), t, t->second);
	return x;
}

struct json *configs_json(const struct configs *c)
{
	struct json *j = json_object(c->arena), *list = json_set_array(j, "results");
	json_set_cstr(j, "format", "assay/configs-v1");
	json_set(j, "tool", version_json(c->arena));
	json_set_cstr(j, "command", c->bench.command);
	json_set_cstr(j, "plan_record", c->plan_id);
	json_set(j, "plan", c->plan);
	json_set_cstr(j, "ranking_source", c->ranking_source);
	json_set_cstr(j, "stopped", c->stopped);
	for (size_t i = 0; i < c->set.n; i++)
		json_push(list, result_of(c, &c->tried[i]));
	return j;
}

bool configs_store(const struct configs *c, const struct json *doc, char id[STORE_ID_MAX], struct err *e)
{
	return record(c, "configs", doc, id, e);
}
