/* One version evaluated.
 * In: a kernel file and its number. Out: its folder and its entry in the manifest.
 * A version that does not build, is wrong or fails is not profiled; its reports are replaced by a text that says why.
 * Never: touches the folders of other versions. */
#include "loop/iterate.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "collect/ncu.h"
#include "collect/perf.h"
#include "loop/text.h"
#include "report/bench_text.h"

struct step {
	struct run *run;
	struct arena *arena;
	const struct loop_options *o;
	size_t i;
	const char *folder, *kernel;
	struct bench bench;
	struct json *entry;
	bool has_profile;
};

static bool write_text(struct step *s, const char *name, struct str text, struct err *e)
{
	return file_write_str(path_join(s->arena, s->folder, name), text, e);
}

static bool prepare(struct step *s, struct err *e)
{
	if (file_exists(s->folder) && !(s->o->flags & LOOP_REDO))
		return err_set(e, ERR_USAGE,
			       "%s exists: version %zu was evaluated; --redo keeps the old folder and does it again",
			       s->folder, s->i);
	if (file_exists(s->folder)) {
		size_t k = 1;
		const char *old;
		do
			old = arena_printf(s->arena, "%s.%zu", s->folder, k++);
		while (file_exists(old));
		if (rename(s->folder, old) != 0)
			return err_set(e, ERR_IO, "%s: cannot be kept as %s", s->folder, old);
	}
	s->kernel = path_join(s->arena, s->folder, path_base(s->o->bench.input.path));
	return file_mkdirs(s->folder, 0755, e) && file_copy(s->o->bench.input.path, s->kernel, e);
}

static bool do_bench(struct step *s, struct err *e)
{
	struct bench_options b = s->o->bench;
	struct buf text, json;
	struct term plain = {.width = 100, .colour = false};
	const struct json *frozen = json_get(s->run->manifest, "frozen");
	struct str ref = json_str(frozen, "reference", STR("")), op_file = json_str(frozen, "op_file", STR(""));
	b.input.path = s->kernel;
	b.input.ref = ref.n ? arena_strndup(s->arena, ref.p, ref.n) : NULL;
	b.input.op_file = op_file.n ? arena_strndup(s->arena, op_file.p, op_file.n) : NULL;
	b.input.flags |= OPERATOR_NO_SEARCH;
	b.folder = s->folder;
	if (!bench_run(&s->bench, s->arena, &b, e))
		return false;
	buf_init(&text);
	buf_init(&json);
	bench_text(s->bench.record, &plain, s->arena, &text);
	json_write(&json, s->bench.record, JSON_PRETTY);
	bool ok = write_text(s, "benchmark_result.json", buf_view(&json), e) &&
		  write_text(s, "benchmark.stdout.txt", buf_view(&text), e) &&
		  write_text(s, "benchmark.stderr.txt", s->bench.artifact.log, e);
	buf_release(&text);
	buf_release(&json);
	return ok;
}

static const char **kernel_names(struct step *s)
{
	const struct json *list = json_path(s->bench.record, "identity.activities");
	if (!list || list->n == 0)
		return NULL;
	const char **names = ARENA_ARRAY(s->arena, list->n + 1, const char *);
	size_t n = 0;
	for (size_t i = 0; i < list->n; i++) {
		struct str name = json_str(list->items[i], "name", STR(""));
		if (str_is(json_str(list->items[i], "kind", STR("")), "kernel"))
			names[n++] = arena_strndup(s->arena, name.p, name.n);
	}
	return n ? names : NULL;
}

static void put_collected(struct step *s, const char *set, const char *report, const char *command, const char *reason)
{
	struct arena *a = s->arena;
	json_set_cstr(s->entry, arena_printf(a, "%s_report", set), report && !reason ? report : NULL);
	json_set_cstr(s->entry, arena_printf(a, "%s_command", set), command);
	json_set_cstr(s->entry, arena_printf(a, "%s_reason", set), reason);
}

static bool skipped(struct step *s, const char *set, const char *why, struct err *e)
{
	struct buf b;
	const char *suffix = s->bench.device.gpu ? "ncu-rep" : "perf.json";
	static const char *const texts[] = {"summary.txt", "details.txt"};
	buf_init(&b);
	buf_printf(&b, "no %s report of version %zu: %s\n", set, s->i, why);
	bool ok = write_text(s, arena_printf(s->arena, "%s.%s.skipped.txt", set, suffix), buf_view(&b), e);
	for (size_t i = 0; ok && i < COUNT_OF(texts); i++)
		ok = write_text(s, arena_printf(s->arena, "%s_%s", set, texts[i]), buf_view(&b), e);
	buf_release(&b);
	put_collected(s, set, NULL, NULL, why);
	return ok;
}

static bool collect_ncu(struct step *s, const char *scratch, struct err *e)
{
	struct ncu_collect c = {.program = s->o->bench.program,
				.ncu = ncu_find(s->arena, s->o->ncu),
				.gpu = s->bench.device.gpu,
				.op = &s->bench.op,
				.library = path_join(s->arena, s->folder, "kernel.so"),
				.symbol = s->bench.artifact.symbol,
				.returns_int = s->bench.op.entry_returns_int,
				.folder = s->folder,
				.scratch = scratch,
				.kernels = kernel_names(s),
				.timeout_s = s->o->profile_timeout_s};
	bool all = true;
	if (!c.ncu)
		return skipped(s, "targeted", "ncu was not found", e) && skipped(s, "full", "ncu was not found", e);
	for (int set = NCU_SET_TARGETED; set <= NCU_SET_FULL; set++) {
		struct ncu_collected got;
		const char *name = ncu_set_name((enum ncu_set)set);
		if (!ncu_collect(&got, s->arena, (enum ncu_set)set, &c, e))
			return false;
		if (!got.report && !skipped(s, name, got.reason, e))
			return false;
		put_collected(s, name, got.report, got.command, got.reason);
		json_set_f64(s->entry, arena_printf(s->arena, "%s_seconds", name), got.seconds);
		all = all && got.report && !got.reason;
	}
	s->has_profile = all;
	return true;
}

static bool collect_perf(struct step *s, const char *scratch, struct err *e)
{
	struct perf_collect c = {.program = s->o->bench.program,
				 .op = &s->bench.op,
				 .library = path_join(s->arena, s->folder, "kernel.so"),
				 .symbol = s->bench.artifact.symbol,
				 .returns_int = s->bench.op.entry_returns_int,
				 .sha256 = s->bench.artifact.sha256,
				 .folder = s->folder,
				 .scratch = scratch,
				 .timeout_s = s->o->profile_timeout_s};
	struct perf_collected got;
	if (!perf_collect(&got, s->arena, &c, e))
		return false;
	if (got.reason && (!skipped(s, "targeted", got.reason, e) || !skipped(s, "full", got.reason, e)))
		return false;
	put_collected(s, "targeted", got.targeted, got.command, got.reason);
	put_collected(s, "full", got.full, got.command, got.reason);
	json_set_f64(s->entry, "full_seconds", got.seconds);
	s->has_profile = !got.reason;
	return true;
}

static bool do_profile(struct step *s, struct err *e)
{
	bool is_good = verdict_exit(s->bench.verdict) == 0;
	const char *why = s->o->flags & LOOP_WITHOUT_PROFILE ? "profile_unavailable: --without-profile was given"
			  : is_good                          ? NULL
				    : arena_printf(s->arena, "not profiled: %s", verdict_word(s->bench.verdict));
	if (why)
		return skipped(s, "targeted", why, e) && skipped(s, "full", why, e);
	char scratch[] = "/tmp/assay-profile-XXXXXX";
	struct err ignored;
	if (!mkdtemp(scratch))
		return err_set(e, ERR_IO, "%s: no scratch folder can be made there", scratch);
	bool ok = s->bench.device.gpu ? collect_ncu(s, scratch, e) : collect_perf(s, scratch, e);
	return file_remove_tree(scratch, ok ? e : &ignored) && ok;
}

static const char *status_of(const struct step *s)
{
	enum verdict v = s->bench.verdict;
	if (verdict_exit(v) == 0)
		return s->has_profile ? "evaluated" : "profile_incomplete";
	if (v == VERDICT_BUILD_FAILED || v == VERDICT_BUILD_TIMEOUT || v == VERDICT_NO_ENTRY)
		return "build_failed";
	return verdict_stage(v) == VERDICT_STAGE_CORRECTNESS ? "correctness_failed" : "benchmark_failed";
}

static void fill_entry(struct step *s)
{
	struct json *x = s->entry;
	const struct bench *b = &s->bench;
	json_set_i64(x, "iteration", (int64_t)s->i);
	json_set_cstr(x, "path", s->kernel);
	json_set_cstr(x, "folder", s->folder);
	json_set_cstr(x, "kernel_sha256", b->op.kernel.sha256);
	json_set_cstr(x, "binary_sha256", b->artifact.library ? b->artifact.sha256 : NULL);
	json_set_cstr(x, "status", status_of(s));
	json_set_cstr(x, "verdict", verdict_word(b->verdict));
	json_set_cstr(x, "verdict_text", b->text);
	json_set_cstr(x, "record", b->id);
	json_set_bool(x, "rejected", verdict_exit(b->verdict) != 0);
	json_set(x, "correctness_passed",
		 json_path(b->record, "correctness.passed") ? json_path(b->record, "correctness.passed")
							    : json_new_null(s->arena));
	static const char *const keys[] = {"median_ms", "average_ms", "min_ms", "max_ms", "trimmed_mean_ms", "source"};
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct json *v = json_get(json_get(b->record, "kernel"), keys[i]);
		json_set(x, keys[i], v ? v : json_new_null(s->arena));
	}
	json_set_bool(x, "eligible", verdict_exit(b->verdict) == 0 && b->has_time && s->has_profile);
}

bool iterate(struct json **out, struct run *r, const struct loop_options *o, size_t i, struct err *e)
{
	struct step s = {.run = r,
			 .arena = r->arena,
			 .o = o,
			 .i = i,
			 .folder = run_iteration_folder(r, i),
			 .entry = json_object(r->arena)};
	int64_t begin = clock_ns();
	if (!prepare(&s, e) || !do_bench(&s, e))
		return false;
	int64_t benched = clock_ns();
	if (!do_profile(&s, e))
		return false;
	fill_entry(&s);
	struct json *seconds = json_set_object(s.entry, "seconds");
	json_set_f64(seconds, "bench", (double)(benched - begin) / 1e9);
	json_set_f64(seconds, "profile", (double)(clock_ns() - benched) / 1e9);
	json_set(seconds, "bench_phases", json_get(s.bench.record, "seconds"));
	run_put_iteration(r, i, s.entry);
	*out = s.entry;
	return text_iteration(r, i, s.bench.record, e) && text_proposal_template(r, i, e);
}
