/* Unit tests of the best version, the conditions of an early stop and the final answer in every ending.
 * In: sources that say what they take (loop_kit.h).
 * Out: cmocka's report.
 * Never: builds or times a kernel. */
#include "loop_kit.h"

#include "loop/best.h"
#include "loop/final.h"
#include "loop/stop.h"

/* One section of final_summary.md, heading and all. */
static const char *section(struct kit *k, int n)
{
	const char *text = kit_text(k, "final_summary.md");
	const char *from = strstr(text, arena_printf(&k->a, "\n## %d. ", n));
	if (!from) {
		fail_msg("no item %d in:\n%s", n, text);
		return "";
	}
	const char *to = strstr(from + 1, "\n## ");
	return arena_strndup(&k->a, from, to ? (size_t)(to - from) : strlen(from));
}

static void has(struct kit *k, int n, const char *what)
{
	if (!strstr(section(k, n), what))
		fail_msg("item %d lacks \"%s\":%s", n, what, section(k, n));
}

static const char *text_of(const struct json *j, const char *key)
{
	return json_str(j, key, STR("")).p;
}

static void has_times(struct kit *k, const struct json *it)
{
	char number[32];
	json_repr(number, json_f64(it, "median_ms", 0));
	has(k, 2, arena_printf(&k->a, "| v%d | %s ms |", (int)json_i64(it, "iteration", 0), number));
}

/* Items 7 to 9 of each version. */
static void others_read_back(struct kit *k, const struct json *list, int64_t best)
{
	static const char *const kinds[] = {"positive", "negative", "rejected"};
	const struct json *m = kit_manifest(k);
	for (size_t i = 0; i < list->n; i++) {
		const struct json *s = json_get(list->items[i], "strategy");
		if ((int64_t)i != best)
			has(k, 7, arena_printf(&k->a, "| v%zu | ", i));
		if ((int64_t)i != best)
			has(k, 7, text_of(s, "reason"));
		for (size_t x = 0; x < 3; x++) {
			const struct json *bucket = json_get(json_path(m, "strategy_memory.current_run"), kinds[x]);
			if (json_get(bucket, text_of(s, "fingerprint")))
				has(k, 8, arena_printf(&k->a, "| %s | %s | ", kinds[x], text_of(s, "fingerprint")));
		}
		if (json_bool(s, "blocked_before_iteration", false))
			has(k, 9,
			    arena_printf(&k->a, "blocked strategies that came again: v%zu %s", i,
					 text_of(s, "fingerprint")));
	}
}

/* All nine items against the manifest, whatever the ending. */
static void read_back(struct kit *k)
{
	const struct json *m = kit_manifest(k), *list = json_get(m, "iterations");
	int64_t best = json_i64(m, "best_iteration", -1);
	const struct json *it = best >= 0 ? json_at(list, (size_t)best) : NULL;
	bool has_reference = json_str(json_get(m, "frozen"), "reference", STR("")).n > 0;
	if (it) {
		has(k, 1, text_of(it, "path"));
		has(k, 1, text_of(m, "best_reason"));
		has_times(k, json_at(list, 0));
		has_times(k, it);
		has(k, 3, text_of(it, "full_report"));
		has(k, 4, arena_printf(&k->a, "- targeted: `%s`", text_of(it, "targeted_command")));
		has(k, 4, arena_printf(&k->a, "- full: `%s`", text_of(it, "full_command")));
	} else {
		has(k, 1, "None: ");
		has(k, 3, "\nnone\n");
		has(k, 4, "- full: `none`");
	}
	const struct json *c = NULL;
	for (size_t i = 0; i < json_get(m, "confirmations")->n; i++) {
		const struct json *x = json_get(m, "confirmations")->items[i];
		if (best > 0 && json_i64(x, "candidate", -1) == best &&
		    str_is(json_str(x, "verdict", STR("")), "faster"))
			c = x;
	}
	char number[32];
	json_repr(number, json_f64(c, "speedup", 0));
	if (c)
		has(k, 2, arena_printf(&k->a, "v%d is %s times as fast as v0", (int)best, number));
	else
		has(k, 2, "No speed-up is claimed");
	if (best > 0) {
		has(k, 5, "> 1. waits");
		has(k, 6, arena_printf(&k->a, "From v%d to v%d", (int)best - 1, (int)best));
	} else {
		has(k, 5, "No statement of an author.");
		has(k, 6, "None stated.");
	}
	others_read_back(k, list, best);
	has(k, 9, "- blocked strategies avoided: ");
	if (!has_reference)
		assert_null(strstr(kit_text(k, "final_summary.md"), "correct"));
	/* The record says the same. */
	const struct json *j =
		json_read_file(&k->a, path_join(&k->a, k->run, "final_summary.json"), JSON_STRICT, &k->e);
	assert_int_equal(json_i64(json_get(j, "best"), "iteration", -1), best);
	assert_int_equal(json_i64(j, "n_versions", -1), list->n);
	assert_string_equal(text_of(j, "claim_layer"), "kernel");
}

static const char *head(struct kit *k)
{
	const char *text = kit_text(k, "final_summary.md");
	return arena_strndup(&k->a, text, (size_t)(strstr(text, "\n## 1. ") - text));
}

static void winner(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.max_iterations = 4;
	assert_true(kit_step(k, NULL, "ms=10.25"));
	assert_true(kit_step(k, "a", "ms=5"));
	assert_true(kit_step(k, "b", "ms=20"));
	assert_true(kit_step(k, "b", "ms=1"));
	assert_true(kit_step(k, "a c", "ms=2.5"));
	read_back(k);
	has(k, 6, "From v0 to v1"); /* its tags are among the winner's */
	has(k, 9, "preferred strategies merged: v4 ");
	has(k, 9, "blocked strategies avoided: no");
	assert_non_null(strstr(head(k), "5 of 5 versions evaluated"));
	assert_non_null(strstr(head(k), "Ended: max_iterations: v0 to v4 are evaluated"));
}

/* The first in rank is not faster than v0 when it is looked at again, nor is the next one. */
static void winner_v0(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.max_iterations = 2;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=9.9 truth=0.1"));
	assert_true(kit_step(k, "b", "ms=9.8 truth=0"));
	const struct json *m = kit_manifest(k);
	assert_int_equal(json_i64(m, "best_iteration", -1), 0);
	assert_int_equal(json_get(m, "confirmations")->n, 2);
	assert_non_null(strstr(text_of(m, "best_reason"), "confirmed to be faster than v0"));
	read_back(k);
	has(k, 2, "Not confirmed: v2 against v0: equivalent");
	has(k, 7, "not confirmed to be faster than v0");
}

/* The first in rank is refuted, the second is confirmed. */
static void next_in_rank(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.max_iterations = 2;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=8"));
	assert_true(kit_step(k, "b", "ms=7 truth=0.2"));
	assert_int_equal(json_i64(kit_manifest(k), "best_iteration", -1), 1);
	read_back(k);
}

/* A confirmation on a busy machine confirms nothing, and is made again by the next call. */
static void disturbed(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.max_iterations = 1;
	const char *v0 = kit_source(k, "v0.c", "ms=10");
	assert_true(kit_call(k, v0));
	assert_true(kit_step(k, "a", "ms=5 load=others"));
	assert_int_equal(json_i64(kit_manifest(k), "best_iteration", -1), 0);
	read_back(k);
	const char *copy = path_join(&k->a, k->run, "iter_v1/next.c");
	kit_put(k, copy, "/* ms=5 */\n");
	k->o.proposer = "false";
	assert_true(kit_call(k, v0));
	assert_int_equal(json_i64(kit_manifest(k), "best_iteration", -1), 1);
	assert_int_equal(json_get(kit_manifest(k), "confirmations")->n, 1);
	read_back(k);
}

static void none_eligible(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	assert_true(kit_step(k, NULL, "verdict=build_failed"));
	read_back(k);
	assert_non_null(strstr(head(k), "Ended: baseline_failed"));
	has(k, 1, "no eligible version");
	/* v0 without a full report, and nothing that is confirmed: none either. */
	k->run = k->o.run_dir = path_join(&k->a, k->dir, "second");
	k->o.max_iterations = 1;
	assert_true(kit_step(k, NULL, "ms=10 report=profile_incomplete:x"));
	assert_true(kit_step(k, "a", "ms=9 truth=0"));
	read_back(k);
	has(k, 1, "v0 is not eligible itself");
}

static void no_reference(void **state)
{
	struct kit *k = *state;
	k->o.max_iterations = 2;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "verdict=crash_segv"));
	assert_true(kit_step(k, "b", "ms=5"));
	read_back(k);
	assert_non_null(strstr(head(k), "nothing is claimed about results"));
	has(k, 2, "| not checked |");
}

static void interrupted(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.max_iterations = 3;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=5"));
	assert_false(kit_step(k, "b", "verdict=interrupted"));
	assert_int_equal(k->e.code, ERR_INTERRUPTED);
	assert_non_null(strstr(k->e.text, "goes on from here"));
	read_back(k);
	assert_non_null(strstr(head(k), "Interrupted at v2."));
	assert_non_null(strstr(head(k), "Ended: no; the run can go on."));
	has(k, 1, "not confirmed yet");
	assert_true(kit_step(k, "b", "ms=4"));
	read_back(k);
	assert_null(strstr(head(k), "Interrupted"));
	/* At the very first version. */
	k->run = k->o.run_dir = path_join(&k->a, k->dir, "second");
	assert_false(kit_step(k, NULL, "verdict=interrupted"));
	read_back(k);
	assert_true(kit_step(k, NULL, "ms=10"));
}

static void without_profile(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.flags = LOOP_WITHOUT_PROFILE;
	k->o.max_iterations = 1;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=5"));
	read_back(k);
	has(k, 1, "Best measured, without reports (profile_unavailable): v1 ");
	has_times(k, json_path(kit_manifest(k), "iterations.1"));
	assert_int_equal(json_i64(kit_manifest(k), "best_measured", -1), 1);
}

/* A run folder of the first format is read, summed up and continued. */
static void stored_manifest(void **state)
{
	struct kit *k = *state;
	struct run r;
	assert_true(file_mkdirs(k->run, 0755, &k->e));
	assert_true(file_copy("tests/data/formats/run-v1.json", path_join(&k->a, k->run, "run_manifest.json"), &k->e));
	if (!run_open(&r, &k->a, k->run, &k->e))
		fail_msg("%s", k->e.text);
	assert_int_equal(run_n_iterations(&r), 5);
	best_choose(&r);
	assert_int_equal(json_i64(r.manifest, "best_iteration", -1), 4);
	assert_true(json_bool(r.manifest, "best_confirmed", false));
	assert_true(final_write(&r, &k->e));
	run_close(&r);
	has(k, 8, "add_one, fewer_rounds");
	kit_put(k, path_join(&k->a, k->run, "run_manifest.json"), "{\"iterations\": []}");
	assert_false(run_open(&r, &k->a, k->run, &k->e));
	assert_non_null(strstr(k->e.text, "is no run manifest"));
}

static void add(struct run *r, double median, double average, bool is_eligible)
{
	struct json *x = json_object(r->arena);
	json_set_i64(x, "iteration", (int64_t)run_n_iterations(r));
	json_set_f64(x, "median_ms", median);
	json_set_f64(x, "average_ms", average);
	json_set_cstr(x, "source", "host_clock");
	json_set_cstr(x, "attempt", "1");
	json_set_bool(x, "eligible", is_eligible);
	run_put_iteration(r, run_n_iterations(r), x);
}

static void forged(struct run *r, struct arena *a)
{
	*r = (struct run){.arena = a, .folder = "/nowhere", .manifest = json_object(a), .lock = -1};
	json_set_array(r->manifest, "iterations");
	json_set_array(r->manifest, "confirmations");
}

/* The seed's order: median, then mean, then the earlier one. */
static void ties(void **state)
{
	static const size_t wanted[] = {5, 2, 1, 3, 0};
	struct kit *k = *state;
	struct run r;
	size_t *order;
	forged(&r, &k->a);
	add(&r, 3, 3, true);
	add(&r, 2, 2.5, true);
	add(&r, 2, 2.4, true);
	add(&r, 2, 2.5, true); /* as v1, and later */
	add(&r, 1, 1, false);
	add(&r, 1.5, 9, true);
	assert_int_equal(best_order(&r, &order), COUNT_OF(wanted));
	assert_memory_equal(order, wanted, sizeof(wanted));
	best_choose(&r);
	assert_int_equal(json_i64(r.manifest, "best_iteration", -1), 5);
	assert_false(json_bool(r.manifest, "best_confirmed", true));
	assert_int_equal(best_to_confirm(&r), 5);
}

static void put_time(struct run *r, size_t i, const char *source, double ms)
{
	struct json *it = run_iteration(r, i), *times = json_get(it, "times");
	if (!times)
		times = json_set_object(it, "times");
	struct json *t = json_set_object(times, source);
	json_set_f64(t, "median_ms", ms);
	json_set_f64(t, "average_ms", ms);
}

/* One run is ranked within one source of time. */
static void sources(void **state)
{
	struct kit *k = *state;
	struct run r;
	size_t *order;
	forged(&r, &k->a);
	for (size_t i = 0; i < 3; i++)
		add(&r, 1, 1, true);
	for (size_t i = 0; i < 3; i++)
		json_set_cstr(run_iteration(&r, i), "source", i == 2 ? "event_pair" : "device_record");
	put_time(&r, 0, "device_record", 1);
	put_time(&r, 0, "event_pair", 9);
	put_time(&r, 1, "device_record", 0.5);
	put_time(&r, 1, "event_pair", 7);
	put_time(&r, 2, "event_pair", 8);
	assert_int_equal(best_order(&r, &order), 3); /* by events: all three have them */
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 2);
	assert_string_equal(text_of(r.manifest, "ranking_source"), "event_pair");
	json_set_null(json_get(run_iteration(&r, 1), "times"), "event_pair");
	assert_int_equal(best_order(&r, &order),
			 2); /* no common one: v0's, and what lacks it is left out with the reason */
	assert_int_equal(order[0], 1);
	assert_non_null(strstr(text_of(run_iteration(&r, 2), "ranking_reason"), "two sources"));
}

static bool is_met(struct kit *k, const char *condition)
{
	const struct json *list = json_get(kit_manifest(k), "stop_conditions_met");
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_is(json_str(list->items[i], "condition", STR("")), condition))
			return json_str(list->items[i], "evidence", STR("")).n > 0;
	}
	return false;
}

static void conditions(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "verdict=wrong_result"));
	assert_true(is_met(k, "correctness_failed"));
	assert_true(kit_step(k, "b", "ms=12"));
	assert_false(is_met(k, "correctness_failed"));
	assert_false(is_met(k, "no_explicable_gain"));
	assert_true(kit_step(k, "c", "ms=11")); /* faster than v2 and slower than v0: no gain */
	assert_true(is_met(k, "no_explicable_gain"));
	assert_true(kit_step(k, "d", "ms=9"));
	assert_false(is_met(k, "no_explicable_gain"));
	/* Two confirmed gains over the best so far that are smaller than the minimum effect: each comes after a slow one. */
	assert_true(kit_step(k, "e", "ms=20"));
	assert_true(kit_step(k, "f", "ms=8.98"));
	assert_false(is_met(k, "diminishing_gain"));
	assert_true(kit_step(k, "g", "ms=20"));
	assert_true(kit_step(k, "h", "ms=8.96"));
	assert_true(is_met(k, "diminishing_gain"));
	assert_true(json_get(kit_manifest(k), "ended")->type == JSON_NULL); /* conditions end nothing */
}

static void bounds(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.target_ms = 4;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=3.5"));
	assert_true(is_met(k, "target_ms"));
	assert_string_equal(text_of(json_get(kit_manifest(k), "ended"), "reason"), "target_ms");
	assert_true(json_get(k->result.state, "next_path")->type == JSON_NULL);
	assert_true(json_bool(kit_manifest(k), "best_confirmed", false));

	k->run = k->o.run_dir = path_join(&k->a, k->dir, "speedup");
	k->o.target_ms = 0;
	k->o.target_speedup = 2;
	k->o.memory_dir = path_join(&k->a, k->dir, "memory2");
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=4 truth=50")); /* 2.5 by medians, 1.5 by the confirmation */
	assert_true(json_get(kit_manifest(k), "ended")->type == JSON_NULL);
	assert_true(kit_step(k, "b", "ms=3 truth=200"));
	assert_string_equal(text_of(json_get(kit_manifest(k), "ended"), "reason"), "target_speedup");

	k->run = k->o.run_dir = path_join(&k->a, k->dir, "patience");
	k->o.target_speedup = 0;
	k->o.patience = 2;
	k->o.memory_dir = path_join(&k->a, k->dir, "memory3");
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=11"));
	assert_true(json_get(kit_manifest(k), "ended")->type == JSON_NULL);
	assert_true(kit_step(k, "b", "ms=12"));
	assert_string_equal(text_of(json_get(kit_manifest(k), "ended"), "reason"), "patience");
	read_back(k);
}

/* Every version is the same source, and the measured medians wobble: v0 is named best, and nothing is called faster. */
static void self_loop(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.max_iterations = 10;
	assert_true(kit_step(k, NULL, "ms=10"));
	for (int i = 1; i <= 10; i++)
		assert_true(kit_step(k, arena_printf(&k->a, "t%d", i),
				     arena_printf(&k->a, "ms=%.2f truth=0.0", 10 - 0.01 * i)));
	const struct json *m = kit_manifest(k);
	assert_int_equal(json_i64(m, "best_iteration", -1), 0);
	assert_int_equal(json_get(m, "confirmations")->n, 10);
	assert_int_equal(json_path(m, "strategy_memory.current_run.positive")->n, 1);
	read_back(k);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
	const struct CMUnitTest tests[] = {
		TEST(winner),       TEST(winner_v0),   TEST(next_in_rank),    TEST(disturbed), TEST(none_eligible),
		TEST(no_reference), TEST(interrupted), TEST(without_profile), TEST(ties),      TEST(stored_manifest),
		TEST(sources),      TEST(conditions),  TEST(bounds),          TEST(self_loop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
