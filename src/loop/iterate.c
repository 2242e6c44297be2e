/* One version evaluated.
 * In: a kernel file and its number. Out: its folder and its entry in the manifest.
 * A version that does not build, is wrong or fails is not profiled; its reports are replaced by a text that says why.
 * Never: touches the folders of other versions. */
#include "loop/iterate.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/version.h"
#include "loop/choice.h"
#include "loop/profile.h"
#include "loop/replay.h"
#include "report/bench_text.h"

#define RUN_CONFIGS "configs.json" /* in the version's folder: what became of its set */

struct step {
	struct run *run;
	struct arena *arena;
	const struct loop_options *o;
	size_t i;
	const char *folder, *kernel, *set; /* set: the copy of its set of configurations; NULL: it has none */
	struct choice *choice;
	struct bench bench;
	struct json *entry;
	bool has_profile;
};

static bool write_text(struct step *s, const char *name, struct str text, struct err *e)
{
	return file_write_str(path_join(s->arena, s->folder, name), text, e);
}

/* The number in the folder's name is free: attempt_begin has made it. */
static bool prepare(struct step *s, struct err *e)
{
	const char *set = config_set_beside(s->arena, s->o->bench.input.path);
	s->kernel = path_join(s->arena, s->folder, path_base(s->o->bench.input.path));
	s->set = set && run_next_set_path(s->run, s->i) ? path_join(s->arena, s->folder, path_base(set)) : NULL;
	return file_copy(s->o->bench.input.path, s->kernel, e) && (!s->set || file_copy(set, s->set, e));
}

static bool do_set(struct step *s, const struct bench_options *b, struct err *e)
{
	struct buf json;
	s->choice = ARENA_NEW(s->arena, struct choice);
	if (!choice_make(s->choice, &s->bench, s->set, b, s->arena, e))
		return false;
	buf_init(&json);
	json_write(&json, s->choice->results, JSON_PRETTY);
	bool ok = write_text(s, RUN_CONFIGS, buf_view(&json), e);
	buf_release(&json);
	return ok;
}

static bool do_bench(struct step *s, struct err *e)
{
	struct bench_options b = s->o->bench;
	struct buf text, json;
	struct term plain = {.width = 100, .is_quiet = true};
	run_frozen_input(s->run, &b.input);
	b.input.path = s->kernel;
	b.folder = s->folder;
	b.inputs = path_join(s->arena, s->folder, REPLAY_DATA);
	if (s->i > 0 && !b.setup) { /* v0's setup(), its frozen copy, supplies the data (RULES R1.5) */
		struct str first = json_str(run_iteration(s->run, 0), "path", STR(""));
		b.setup = first.n ? arena_strndup(s->arena, first.p, first.n) : NULL;
	}
	if (!(s->set ? do_set(s, &b, e) : bench_run(&s->bench, s->arena, &b, e)))
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

static const char *status_of(const struct step *s)
{
	enum verdict v = s->bench.verdict;
	if (verdict_exit(v) == 0)
		return s->has_profile ? "evaluated" : "profile_incomplete";
	if (v == VERDICT_BUILD_FAILED || v == VERDICT_BUILD_TIMEOUT || v == VERDICT_NO_ENTRY)
		return "build_failed";
	if (v == VERDICT_WORKLOAD_CHANGED)
		return "workload_changed";
	return verdict_stage(v) == VERDICT_STAGE_CORRECTNESS ? "correctness_failed" : "benchmark_failed";
}

/* Series of the bench by source of time, so that versions can be ranked within one (RULES R1.12). */
static struct json *times_of(struct step *s)
{
	static const char *const series[] = {"cold", "events"};
	struct json *times = json_object(s->arena), *kernel = json_get(s->bench.record, "kernel");
	for (size_t i = 0; i < COUNT_OF(series); i++) {
		const struct json *x = json_get(kernel, series[i]);
		struct str source = json_str(x, "source", STR(""));
		double median = json_f64(json_get(x, "summary"), "median_ns", NAN);
		double mean = json_f64(json_get(x, "summary"), "mean_ns", NAN);
		if (!source.n || !isfinite(median) || !isfinite(mean))
			continue;
		struct json *t = json_object(s->arena);
		json_set_f64(t, "median_ms", median / 1e6);
		json_set_f64(t, "average_ms", mean / 1e6);
		json_put(times, source, t);
	}
	return times;
}

static void fill_paths(struct step *s, const char *digest)
{
	struct json *x = s->entry;
	json_set_i64(x, "iteration", (int64_t)s->i);
	json_set_cstr(x, "path", s->kernel);
	json_set_cstr(x, "snapshot_file", s->kernel); /* the published name of the same */
	json_set_cstr(x, "folder", s->folder);
	json_set_cstr(x, "kernel_sha256", digest);
	json_set_bool(x, "without_profile", (s->o->flags & LOOP_WITHOUT_PROFILE) != 0);
	json_set_bool(x, "one_collection", (s->o->flags & LOOP_ONE_COLLECTION) != 0);
}

static void fill_entry(struct step *s)
{
	static const char *const keys[] = {"median_ms", "average_ms", "min_ms", "max_ms", "trimmed_mean_ms", "source"};
	struct json *x = s->entry, *passed = json_path(s->bench.record, "correctness.passed");
	const struct bench *b = &s->bench;
	bool is_good = verdict_exit(b->verdict) == 0;
	fill_paths(s, b->op.kernel.sha256);
	json_set_cstr(x, "binary_sha256", b->artifact.library ? b->artifact.sha256 : NULL);
	json_set_cstr(x, "symbol", b->artifact.library ? b->artifact.symbol : NULL);
	json_set_cstr(x, "status", status_of(s));
	json_set_cstr(x, "verdict", verdict_word(b->verdict));
	json_set_cstr(x, "verdict_text", b->text);
	json_set_cstr(x, "record", b->id);
	json_set_bool(x, "rejected", !is_good);
	json_set(x, "correctness_passed", passed ? passed : json_new_null(s->arena));
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct json *v = json_get(json_get(b->record, "kernel"), keys[i]);
		json_set(x, keys[i], v && is_good ? v : json_new_null(s->arena));
	}
	if (s->choice)
		json_set(x, "configuration",
			 choice_json(s->choice, s->set, path_join(s->arena, s->folder, RUN_CONFIGS), s->arena));
	json_set(x, "times", times_of(s));
	json_set_bool(x, "full_report_exists", json_str(x, "full_report", STR("")).n > 0);
	json_set_bool(x, "eligible", is_good && b->has_time && s->has_profile);
}

static struct profile profile_of(struct step *s)
{
	struct str backend = json_str(json_get(s->run->manifest, "frozen"), "backend", STR(""));
	return (struct profile){.arena = s->arena,
				.o = s->o,
				.i = s->i,
				.folder = s->folder,
				.bench = &s->bench,
				.is_gpu = s->bench.device.gpu != NULL || str_is(backend, "cuda"),
				.entry = s->entry};
}

static struct step step_of(struct run *r, const struct loop_options *o, size_t i)
{
	return (struct step){.run = r,
			     .arena = r->arena,
			     .o = o,
			     .i = i,
			     .folder = run_iteration_folder(r, i),
			     .entry = json_object(r->arena)};
}

/* A version that was not built: what its entry and its files say instead of figures. */
struct unmeasured {
	const char *status, *word, *stage, *why;
};

/* benchmark_result.json of such a version: the published keys, empty. */
static bool write_nothing(struct step *s, const struct unmeasured *u, struct err *e)
{
	struct json *j = json_object(s->arena), *verdict = json_set_object(j, "verdict");
	struct buf b;
	json_set_cstr(j, "format", "assay/bench-v1");
	json_set(j, "tool", version_json(s->arena));
	json_set_cstr(verdict, "word", u->word);
	json_set_cstr(verdict, "stage", u->stage);
	json_set_cstr(verdict, "text", u->why);
	json_set_object(j, "kernel");
	json_set_object(j, "reference");
	json_set_null(j, "correctness");
	json_set_bool(j, "has_reference", json_str(json_get(s->run->manifest, "frozen"), "reference", STR("")).n > 0);
	json_set_cstr(j, "claim_layer", "kernel");
	json_set_bool(j, "formal", false);
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = write_text(s, "benchmark_result.json", buf_view(&b), e);
	buf_clear(&b);
	buf_printf(&b, "not built: %s\n", u->why);
	ok = ok && write_text(s, "benchmark.stdout.txt", buf_view(&b), e) &&
	     write_text(s, "benchmark.stderr.txt", STR(""), e);
	buf_release(&b);
	return ok;
}

static bool leave_unmeasured(struct json **out, struct step *s, const struct unmeasured *u, struct err *e)
{
	struct profile p = profile_of(s);
	char digest[SHA256_HEX];
	if (!sha256_file(s->kernel, digest, e) || !write_nothing(s, u, e) || !profile_skip(&p, u->why, e))
		return false;
	fill_paths(s, digest);
	json_set_cstr(s->entry, "status", u->status);
	json_set_cstr(s->entry, "verdict", u->word);
	json_set_cstr(s->entry, "verdict_text", u->why);
	json_set_bool(s->entry, "rejected", true);
	json_set_bool(s->entry, "eligible", false);
	json_set_bool(s->entry, "full_report_exists", false);
	json_set_null(s->entry, "correctness_passed");
	json_set_null(s->entry, "median_ms");
	json_set_null(s->entry, "average_ms");
	*out = s->entry;
	return true;
}

bool iterate_refused(struct json **out, struct run *r, const struct loop_options *o, size_t i, const char *why,
		     struct err *e)
{
	struct step s = step_of(r, o, i);
	struct unmeasured u = {"refused", "blocked_strategy_reused", "proposal", why};
	return prepare(&s, e) && leave_unmeasured(out, &s, &u, e);
}

/* What v0 was asked for is frozen, so what cannot be read now is the version's own fault: an entry or a parameter that
 * is not there, text that is no kernel. */
static bool iterate_unreadable(struct json **out, struct step *s, struct err *e)
{
	struct unmeasured u = {"build_failed", verdict_word(VERDICT_NOT_READY), "check",
			       arena_strndup(s->arena, e->text, strlen(e->text))};
	*e = (struct err){.code = ERR_NONE};
	return leave_unmeasured(out, s, &u, e);
}

bool iterate(struct json **out, struct run *r, const struct loop_options *o, size_t i, struct err *e)
{
	struct step s = step_of(r, o, i);
	int64_t begin = clock_ns();
	if (!prepare(&s, e))
		return false;
	if (!do_bench(&s, e)) {
		bool is_own =
			i > 0 && (e->code == ERR_INPUT || e->code == ERR_USAGE || (s.set && e->code == ERR_CORRUPT));
		return is_own && iterate_unreadable(out, &s, e);
	}
	int64_t benched = clock_ns();
	struct profile p = profile_of(&s);
	bool is_collected = profile_collect(&p, e);
	replay_keep(&p, run_iteration_folder(r, 0));
	if (!is_collected)
		return false;
	s.has_profile = p.has_profile;
	fill_entry(&s);
	struct json *seconds = json_set_object(s.entry, "seconds");
	json_set_f64(seconds, "bench", (double)(benched - begin) / 1e9);
	json_set_f64(seconds, "profile", (double)(clock_ns() - benched) / 1e9);
	json_set(seconds, "bench_phases", json_get(s.bench.record, "seconds"));
	*out = s.entry;
	return true;
}
