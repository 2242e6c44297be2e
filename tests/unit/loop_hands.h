/* Hands that measure nothing: what a version "takes" stands in its source. */
#ifndef ASSAY_TESTS_LOOP_HANDS_H
#define ASSAY_TESTS_LOOP_HANDS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/opt.h"
#include "loop/hands.h"
#include "loop/memory.h"
#include "loop/tags.h"

struct kit {
	struct arena a;
	struct err e;
	char dir[64];
	struct loop_options o;
	struct loop_result result;
	struct json *last; /* state of the last call that did its work */
	struct opt_dim dim_items[2];
	struct opt_dims dims;
	const char *run; /* run folder */
	int n_versions;
};

/* "word" in the first line of the source: ms=3.5 avg=3.6 verdict=wrong_result report=no source=event_pair */
static inline const char *kit_word(struct kit *k, const char *path, const char *name)
{
	struct str text, rest, word;
	struct err e;
	if (!file_read(&k->a, &text, path, 1 << 20, &e))
		return NULL;
	const char *wanted = arena_printf(&k->a, "%s=", name);
	(void)str_split(&text, '\n', &rest); /* the first line */
	while (str_split(&rest, ' ', &word)) {
		if (str_starts(word, wanted))
			return arena_strndup(&k->a, word.p + strlen(wanted), word.n - strlen(wanted));
	}
	return NULL;
}

static inline double kit_ms(struct kit *k, const char *path, const char *name)
{
	const char *s = kit_word(k, path, name);
	return s ? strtod(s, NULL) : NAN;
}

static struct kit *kit_now; /* of the running test: hands have no context of their own */

static inline void kit_put(struct kit *k, const char *path, const char *text)
{
	if (!file_write_str(path, str_from(text), &k->e))
		fail_msg("%s", k->e.text);
}

/* As iterate() does it, with the numbers of the source. */
static inline bool kit_version(struct json **out, struct run *r, const struct loop_options *o, size_t i, struct err *e)
{
	struct kit *k = kit_now;
	struct arena *a = &k->a;
	const char *folder = run_iteration_folder(r, i), *path = path_join(a, folder, path_base(o->bench.input.path));
	const char *word = kit_word(k, o->bench.input.path, "verdict"),
		   *source = kit_word(k, o->bench.input.path, "source");
	double ms = kit_ms(k, o->bench.input.path, "ms"), avg = kit_ms(k, o->bench.input.path, "avg");
	struct json *x = json_object(r->arena), *bench = json_object(a), *kernel = json_set_object(bench, "kernel");
	const char *report = kit_word(k, o->bench.input.path, "report");
	bool is_good = !word, is_off = (o->flags & LOOP_WITHOUT_PROFILE) != 0,
	     has_report = is_good && !report && !is_off;
	k->n_versions++;
	if (word && strcmp(word, "interrupted") == 0)
		return err_set(e, ERR_INTERRUPTED, "interrupted");
	if (!file_copy(o->bench.input.path, path, e))
		return false;
	char digest[SHA256_HEX];
	if (!sha256_file(path, digest, e))
		return false;
	json_set_f64(kernel, "median_ms", ms);
	struct buf b;
	buf_init(&b);
	json_write(&b, bench, JSON_PRETTY);
	kit_put(k, path_join(a, folder, "benchmark_result.json"), b.p);
	buf_release(&b);
	json_set_i64(x, "iteration", (int64_t)i);
	json_set_cstr(x, "path", path);
	json_set_cstr(x, "kernel_sha256", digest);
	json_set_cstr(x, "verdict", word ? word : o->bench.input.ref ? "passed" : "unchecked");
	json_set_cstr(x, "verdict_text", word ? "as the source says" : "");
	json_set_bool(x, "rejected", !is_good);
	json_set_bool(x, "eligible", has_report);
	json_set_bool(x, "without_profile", is_off);
	if (o->bench.input.ref)
		json_set_bool(x, "correctness_passed", is_good);
	json_set_f64(x, "median_ms", is_good ? ms : NAN);
	json_set_f64(x, "average_ms", is_good ? (isnan(avg) ? ms : avg) : NAN);
	json_set_cstr(x, "source", source ? source : "host_clock");
	static const char *const sets[] = {"targeted", "full"};
	bool is_foreign = report && strcmp(report, "foreign") == 0;
	const char *why = is_off    ? "profile_unavailable: --without-profile was given"
			  : is_good ? report
				    : "not profiled";
	for (size_t s = 0; s < 2; s++) {
		const char *file = path_join(a, folder, arena_printf(a, "%s.perf.json", sets[s]));
		json_set_cstr(x, arena_printf(r->arena, "%s_report", sets[s]), has_report ? file : NULL);
		json_set_cstr(x, arena_printf(r->arena, "%s_file", sets[s]), has_report || is_foreign ? file : NULL);
		json_set_cstr(x, arena_printf(r->arena, "%s_command", sets[s]),
			      has_report ? arena_printf(a, "collect %s of v%zu", sets[s], i) : NULL);
		json_set_cstr(x, arena_printf(r->arena, "%s_reason", sets[s]), has_report ? NULL : why);
	}
	*out = x;
	return true;
}

/* Faster by more than the minimum effect, or not; the interval is half a per cent to either side. */
static inline bool kit_compare(struct confirmed *out, struct run *r, const struct loop_options *o, const struct pair *p,
			       struct err *e)
{
	double x = json_f64(run_iteration(r, p->a), "median_ms", NAN),
	       y = json_f64(run_iteration(r, p->b), "median_ms", NAN);
	struct str path = json_str(run_iteration(r, p->b), "path", STR(""));
	const char *version = arena_strndup(&kit_now->a, path.p, path.n), *truth = kit_word(kit_now, version, "truth");
	double effect = truth ? strtod(truth, NULL) : 100 * (x / y - 1);
	(void)e;
	*out = (struct confirmed){.verdict = effect > 100 * o->min_effect    ? VERDICT_FASTER
					     : effect < -100 * o->min_effect ? VERDICT_SLOWER
									     : VERDICT_EQUIVALENT,
				  .has_effect = true,
				  .effect_pct = effect,
				  .lower_pct = effect - 0.5,
				  .upper_pct = effect + 0.5,
				  .time_a_ms = x,
				  .time_b_ms = y,
				  .n_placements = 6,
				  .source = "host_clock"};
	out->is_disturbed = kit_word(kit_now, version, "load") != NULL; /* others used the machine */
	if (out->is_disturbed)
		out->verdict = VERDICT_INCONCLUSIVE;
	return true;
}
static const struct loop_hands kit_hands = {kit_version, kit_compare};

#endif
