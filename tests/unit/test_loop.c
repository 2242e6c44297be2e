/* Unit tests of the loop with hands that measure nothing: outcomes, both levels of the memory, the gate, redo, resume.
 * In: sources that say what they take.
 * Out: cmocka's report.
 * Never: builds or times a kernel. */
#include "loop_kit.h"

#include "base/proc.h"

struct row {
	const char *tags, *says, *outcome, *reason, *blocked, *preferred; /* lists of tag sets, ";" between */
};

/* Fingerprints of a JSON list against tag sets. */
static void same_sets(struct kit *k, size_t i, const struct json *list, const char *sets)
{
	struct str rest = str_from(sets), one;
	size_t n = 0;
	while (*sets && str_split(&rest, ';', &one)) {
		const char *fp = kit_fingerprint(k, arena_strndup(&k->a, one.p, one.n));
		bool found = false;
		for (size_t x = 0; list && x < list->n; x++)
			found = found || str_is(list->items[x]->text, fp);
		if (!found)
			fail_msg("v%zu: %.*s is not there", i, STR_ARG(one));
		n++;
	}
	if (n != (list ? list->n : 0))
		fail_msg("v%zu: %zu sets wanted, %zu there", i, n, list ? list->n : 0);
}

static void check_row(struct kit *k, size_t i, const struct row *r)
{
	const struct json *s = json_get(json_at(json_get(kit_manifest(k), "iterations"), i), "strategy");
	if (!str_is(json_str(s, "outcome", STR("")), r->outcome) || !str_is(json_str(s, "reason", STR("")), r->reason))
		fail_msg("v%zu: %s %s (%s)", i, json_str(s, "outcome", STR("?")).p, json_str(s, "reason", STR("?")).p,
			 json_str(s, "why", STR("?")).p);
	assert_string_equal(json_str(s, "fingerprint", STR("")).p, kit_fingerprint(k, r->tags ? r->tags : "baseline"));
	same_sets(k, i, json_path(s, "constraints.blocked"), r->blocked);
	same_sets(k, i, json_path(s, "constraints.preferred"), r->preferred);
}

/* The table of the issue: what each version is, what is said of it, and what stands before it. */
static const struct row table[] = {
	{NULL, "ms=10", "positive", "baseline_seed", "", ""},
	{"coalesced", "ms=5", "positive", "faster_than_previous", "", "baseline"},
	{"tiling", "ms=8", "negative", "slower_or_equal_to_previous", "", "baseline;coalesced"},
	{"unroll", "ms=7.99", "negative", "slower_or_equal_to_previous", "tiling", "baseline;coalesced"},
	{"fast_math", "verdict=wrong_result", "rejected", "correctness_failed", "tiling;unroll", "baseline;coalesced"},
	{"typo", "verdict=build_failed", "rejected", "build_failed", "tiling;unroll;fast_math", "baseline;coalesced"},
	{"spin", "verdict=hang", "rejected", "benchmark_failed", "tiling;unroll;fast_math;typo", "baseline;coalesced"},
	{"tiling", "ms=1", "rejected", "blocked_strategy_reused", "tiling;unroll;fast_math;typo;spin",
	 "baseline;coalesced"},
	{"coalesced shuffle", "ms=3", "positive", "faster_than_previous", "tiling;unroll;fast_math;typo;spin",
	 "baseline;coalesced"},
};

static void scripted(struct kit *k)
{
	kit_reference(k);
	k->o.max_iterations = COUNT_OF(table) - 1;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		if (!kit_step(k, table[i].tags, table[i].says))
			fail_msg("v%zu: %s", i, k->e.text);
		assert_int_equal(k->result.status, strcmp(table[i].outcome, "rejected") == 0);
	}
}

static void outcomes(void **state)
{
	struct kit *k = *state;
	scripted(k);
	for (size_t i = 0; i < COUNT_OF(table); i++)
		check_row(k, i, &table[i]);
	const struct json *m = kit_manifest(k), *current = json_path(m, "strategy_memory.current_run");
	assert_int_equal(json_i64(json_path(m, "iterations.3.strategy"), "previous", -1), 2);
	assert_int_equal(json_i64(json_path(m, "iterations.8.strategy"), "previous", -1), 3); /* 4 to 7 have no time */
	assert_int_equal(json_get(current, "positive")->n, 3);
	assert_int_equal(json_get(current, "negative")->n, 2);
	assert_int_equal(json_get(current, "rejected")->n, 4); /* the reused one is there too */
	assert_int_equal(json_get(current, "seen_order")->n, 8);
	assert_string_equal(json_str(json_path(m, "iterations.7"), "verdict", STR("")).p, "blocked_strategy_reused");
	assert_int_equal(k->n_versions, 8); /* that one was not built */
	assert_true(file_exists(path_join(&k->a, k->run, "iter_v7/full.perf.json.skipped.txt")));
	assert_int_equal(json_i64(m, "best_iteration", -1), 8);
	assert_true(json_bool(m, "best_confirmed", false));
	assert_string_equal(json_str(json_get(m, "ended"), "reason", STR("")).p, "max_iterations");
	/* The state says what closes it and why. */
	const struct json *blocked = json_get(k->result.state, "blocked");
	assert_int_equal(blocked->n, 5);
	for (size_t i = 0; i < blocked->n; i++) {
		assert_non_null(strstr(json_str(blocked->items[i], "closes", STR("")).p, "this implementation"));
		assert_true(json_str(blocked->items[i], "why", STR("")).n > 0);
	}
}

/* Another run folder, the same memory. */
static void second_run(void **state)
{
	struct kit *k = *state;
	scripted(k);
	k->run = k->o.run_dir = path_join(&k->a, k->dir, "second");
	k->n_versions = 0;
	assert_true(kit_step(k, NULL, "ms=10"));
	same_sets(k, 0, json_path(kit_manifest(k), "iterations.0.strategy.constraints.blocked"),
		  "tiling;unroll;fast_math;typo;spin");
	same_sets(k, 0, json_path(kit_manifest(k), "iterations.0.strategy.constraints.preferred"),
		  "baseline;coalesced;coalesced shuffle");
	assert_true(kit_step(k, "unroll", "ms=1"));
	assert_int_equal(k->result.status, 1);
	assert_int_equal(k->n_versions, 1);
	assert_non_null(
		strstr(json_str(json_path(kit_manifest(k), "iterations.1.strategy"), "why", STR("")).p, "global"));
	/* Opened again, it is looked at; the reason is kept on both levels. */
	const char *fp = kit_fingerprint(k, "unroll");
	k->o.retry = &(struct opt_list){&fp, 1};
	kit_propose(k, "unroll");
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=4")));
	assert_non_null(strstr(k->e.text, "--because"));
	k->o.because = "a new compiler";
	if (!kit_step(k, "unroll", "ms=4"))
		fail_msg("%s", k->e.text);
	assert_string_equal(json_str(json_path(kit_manifest(k), "iterations.2.strategy"), "reason", STR("")).p,
			    "faster_than_previous");
	k->o.retry = NULL;
	same_sets(k, 2, json_get(k->result.state, "blocked_fingerprints"), "");
	const struct json *preferred = json_get(k->result.state, "preferred");
	bool is_preferred = false;
	for (size_t i = 0; i < preferred->n; i++) {
		if (str_is(json_str(preferred->items[i], "fingerprint", STR("")), fp)) {
			is_preferred = true;
			assert_true(json_get(preferred->items[i], "also")->n > 0); /* the older outcome is shown too */
		}
	}
	assert_true(is_preferred);
	/* What is not blocked cannot be opened. */
	fp = "0000000000000000";
	k->o.retry = &(struct opt_list){&fp, 1};
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=4")));
	assert_int_equal(k->e.code, ERR_USAGE);
}

static void other_scope(void **state)
{
	struct kit *k = *state;
	scripted(k);
	k->run = k->o.run_dir = path_join(&k->a, k->dir, "other");
	k->dim_items[0].value = 65;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_int_equal(json_get(k->result.state, "blocked")->n, 0);
	assert_int_equal(json_i64(k->result.state, "n_elsewhere", 0), 7);
	assert_true(kit_step(k, "unroll", "ms=5"));
	assert_int_equal(k->result.status, 0);
}

/* What another run says of a fingerprint in the scope of this one, at a time of its own. */
static void said_elsewhere(struct kit *k, const char *tags, const char *outcome, const char *at)
{
	struct str key = json_str(json_get(kit_manifest(k), "strategy_memory"), "scope_key", STR(""));
	struct scope scope = {.key = key.p, .meta = json_object(&k->a)};
	struct memory *m = memory_open(k->o.memory_dir, &k->e);
	struct json *entry = json_object(&k->a);
	struct tags t = {.n = 0};
	(void)tags_add(&t, &k->a, str_from(tags));
	json_set(entry, "tags", tags_json(&k->a, &t));
	json_set_cstr(entry, "last_outcome", outcome);
	json_set_cstr(entry, "last_reason", "of another run");
	json_set_cstr(entry, "at", at);
	const char *run = arena_printf(&k->a, "%s %s %s", tags, outcome, at);
	struct memory_event v = {run, 1, &scope, kit_fingerprint(k, tags), entry};
	if (!m || !memory_record(m, &v, &k->e))
		fail_msg("%s", k->e.text);
	memory_close(m);
}

/* The newest evidence decides, and nothing closes the baseline. */
static void newest_evidence(void **state)
{
	struct kit *k = *state;
	assert_true(kit_step(k, NULL, "ms=10"));
	said_elsewhere(k, "baseline", "rejected", "2999-01-01T00:00:00.000Z");
	said_elsewhere(k, "a", "positive", "2020-01-01T00:00:00.000Z");
	said_elsewhere(k, "a", "negative", "2020-01-02T00:00:00.000Z");
	said_elsewhere(k, "b", "rejected", "2020-01-01T00:00:00.000Z");
	said_elsewhere(k, "b", "positive", "2020-01-02T00:00:00.000Z");
	k->run = k->o.run_dir = path_join(&k->a, k->dir, "second");
	assert_true(kit_step(k, NULL, "ms=10"));
	same_sets(k, 0, json_path(kit_manifest(k), "iterations.0.strategy.constraints.blocked"), "a");
	const struct json *c = json_get(kit_manifest(k), "constraints");
	same_sets(k, 0, json_get(c, "blocked_fingerprints"), "a");
	same_sets(k, 0, json_get(c, "preferred_fingerprints"), "b");
	assert_int_equal(json_path(c, "blocked.0.also")->n, 1);
	assert_int_equal(json_path(c, "preferred.0.also")->n, 1);
}

/* Environment failures and rounds without reports stay in their run. */
static void not_shared(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=5 report=profile_incomplete:ERR_NVGPUCTRPERM"));
	const struct json *s = json_path(kit_manifest(k), "iterations.1.strategy");
	assert_true(json_bool(s, "is_environment", false));
	assert_int_equal(json_get(k->result.state, "blocked")->n, 0);
	assert_true(
		kit_step(k, "x", "ms=9 load=others")); /* compared on a busy machine: negative, and nothing is closed */
	s = json_path(kit_manifest(k), "iterations.2.strategy");
	assert_string_equal(json_str(s, "reason", STR("")).p, "slower_or_equal_to_previous");
	assert_true(json_bool(s, "is_environment", false));
	assert_int_equal(json_get(k->result.state, "blocked")->n, 0);
	k->o.flags = LOOP_WITHOUT_PROFILE;
	assert_true(kit_step(k, "b", "ms=20"));
	k->o.flags = 0;
	same_sets(k, 3, json_path(k->result.state, "strategy.constraints.blocked"), "");
	k->run = k->o.run_dir = path_join(&k->a, k->dir, "second");
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_int_equal(json_get(k->result.state, "blocked")->n, 0);
	assert_int_equal(json_get(k->result.state, "preferred")->n, 1);
}

static void reports(void **state)
{
	static const struct {
		const char *says, *reason;
	} cases[] = {{"ms=5 report=profile_incomplete:exit", "targeted_ncu_failed"},
		     {"ms=5 report=foreign", "ncu_incomplete"},
		     {"verdict=input_modified", "integrity_failed"},
		     {"verdict=crash_segv", "benchmark_failed"},
		     {"verdict=not_finite", "correctness_failed"},
		     {"verdict=bad_syscall", "integrity_failed"}};
	struct kit *k = *state;
	kit_reference(k);
	assert_true(kit_step(k, NULL, "ms=10"));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_true(kit_step(k, arena_printf(&k->a, "t%zu", i), cases[i].says));
		assert_string_equal(json_str(json_get(k->result.state, "strategy"), "reason", STR("")).p,
				    cases[i].reason);
	}
	assert_int_equal(json_i64(kit_manifest(k), "best_iteration", -1), 0);
}

/* A proposal with errors: exit 2, nothing is recorded, and the same call passes once it is repaired. */
static void gate(void **state)
{
	struct kit *k = *state;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=5")));
	assert_int_equal(k->e.code, ERR_INPUT);
	assert_non_null(strstr(k->e.text, "is still the template"));
	kit_propose(k, "");
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=5")));
	assert_non_null(strstr(k->e.text, "no strategy tag"));
	assert_int_equal(json_get(kit_manifest(k), "iterations")->n, 1);
	assert_int_equal(k->n_versions, 1);
	assert_true(kit_step(k, "a", "ms=5"));
	kit_propose(k, "b");
	const char *path = path_join(&k->a, k->run, "iter_v1/optimization_proposal.md");
	struct str text;
	assert_true(file_read(&k->a, &text, path, 1 << 20, &k->e));
	char *at = strstr((char *)(uintptr_t)text.p, "= 5 ms");
	at[2] = '6';
	kit_put(k, path, text.p);
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=5")));
	assert_non_null(strstr(k->e.text, "kernel.median_ms = 6 ms, but benchmark_result.json says 5.0 ms"));
}

static void numbers_and_redo(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	k->o.max_iterations = 2;
	k->o.iteration = 1;
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=10")));
	assert_non_null(strstr(k->e.text, "version 0 comes first"));
	k->o.iteration = -1;
	assert_true(kit_step(k, NULL, "ms=10"));
	assert_true(kit_step(k, "a", "ms=5"));
	k->o.iteration = 1;
	assert_false(kit_step(k, NULL, "ms=4"));
	assert_non_null(strstr(k->e.text, "--redo"));
	kit_propose(k, "b"); /* for v2: it stays when v1 is done again */
	k->o.flags = LOOP_REDO;
	assert_true(kit_step(k, NULL, "ms=20"));
	assert_true(file_exists(path_join(&k->a, k->run, "iter_v1.1/benchmark_result.json")));
	const struct json *m = kit_manifest(k);
	assert_int_equal(json_get(m, "iterations")->n, 2);
	assert_string_equal(json_str(json_path(m, "iterations.1.strategy"), "outcome", STR("")).p, "negative");
	assert_non_null(strstr(kit_text(k, "iter_v1/optimization_proposal.md"), "- b\n"));
	k->o.flags = 0;
	k->o.iteration = -1;
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=2"))); /* it cites what the first v1 took */
	assert_non_null(strstr(k->e.text, "= 5 ms, but benchmark_result.json says 20.0 ms"));
	kit_propose(k, "b");
	if (!kit_call(k, kit_source(k, "next.c", "ms=2")))
		fail_msg("%s", k->e.text);
	k->o.iteration = 3;
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=2")));
	assert_non_null(strstr(k->e.text, "beyond --max-iterations=2"));
	k->o.iteration = -1;
	k->o.flags = LOOP_REDO;
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=2")));
	assert_non_null(strstr(k->e.text, "--iteration"));
}

static void frozen(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	assert_true(kit_step(k, NULL, "ms=10"));
	kit_propose(k, "a");
	k->dim_items[0].value = 65;
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=5")));
	assert_non_null(strstr(k->e.text, "dims was frozen"));
	k->dim_items[0].value = 64;
	k->o.bench.input.ref = kit_source(k, "solve_ref.c", "changed");
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=5")));
	assert_non_null(strstr(k->e.text, "reference_sha256 was frozen"));
}

static void bad_baseline(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	assert_true(kit_step(k, NULL, "verdict=wrong_result"));
	assert_int_equal(k->result.status, 1);
	assert_non_null(strstr(json_str(k->result.state, "answer", STR("")).p, "algorithm"));
	assert_false(kit_call(k, kit_source(k, "next.c", "ms=5")));
	assert_non_null(strstr(k->e.text, "--iteration=0 --redo"));
	k->o.iteration = 0;
	k->o.flags = LOOP_REDO;
	assert_true(kit_step(k, NULL, "ms=5"));
	assert_int_equal(k->result.status, 0);
	/* It closed nothing for others. */
	assert_int_equal(json_get(k->result.state, "blocked")->n, 0);
}

/* What calls leave that were killed: before the entry, after it, in the middle of a redo. */
static void cut_short(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	assert_true(kit_step(k, NULL, "ms=10"));
	kit_propose(k, "a");
	const char *folder = path_join(&k->a, k->run, "iter_v1");
	assert_true(file_mkdirs(folder, 0755, &k->e));
	kit_put(k, path_join(&k->a, folder, ".attempt"), "1-2");
	kit_put(k, path_join(&k->a, folder, "benchmark_result.json"), "{}");
	kit_put(k, path_join(&k->a, folder, ".benchmark_result.json.a1B2c3"), "{");
	kit_put(k, path_join(&k->a, k->run, ".run_manifest.json.a1B2c3"), "{");
	assert_true(kit_call(k, kit_source(k, "next.c", "ms=5")));
	assert_true(file_exists(path_join(&k->a, k->run, "iter_v1.partial-1/benchmark_result.json")));
	assert_false(file_exists(path_join(&k->a, k->run, "iter_v1.partial-1/.benchmark_result.json.a1B2c3")));
	assert_false(file_exists(path_join(&k->a, k->run, ".run_manifest.json.a1B2c3")));
	assert_false(file_exists(path_join(&k->a, folder, ".attempt")));
	/* After the entry: the mark is taken away, nothing else. */
	struct str id = json_str(json_path(kit_manifest(k), "iterations.1"), "attempt", STR(""));
	kit_put(k, path_join(&k->a, folder, ".attempt"), id.p);
	assert_true(kit_step(k, "b", "ms=4"));
	assert_false(file_exists(path_join(&k->a, folder, ".attempt")));
	assert_false(file_exists(path_join(&k->a, k->run, "iter_v1.partial-2")));
	/* In a redo: the old attempt is back. */
	assert_int_equal(rename(folder, path_join(&k->a, k->run, "iter_v1.1")), 0);
	assert_true(file_mkdirs(folder, 0755, &k->e));
	assert_true(kit_step(k, "c", "ms=3"));
	assert_true(file_exists(path_join(&k->a, folder, "benchmark_result.json")));
	assert_false(file_exists(path_join(&k->a, k->run, "iter_v1.1")));
}

/* The proposer writes versions from a folder; FILE of the command line stays v0. */
static void proposer(struct kit *k, const char *more)
{
	const char *dir = path_join(&k->a, k->dir, "writer");
	assert_true(file_mkdirs(dir, 0755, &k->e));
	k->o.proposer = arena_printf(&k->a,
				     "state=$(cat); f() { printf '%%s\\n' \"$state\" | sed -n 's/^  \"'$1'\": "
				     "\"\\{0,1\\}\\([^\",]*\\).*/\\1/p'; }\n"
				     "i=$(f iteration); next=$(f next_path); p=$(f proposal_path); %s\n"
				     "ms=$((9 - i)); printf '/* ms=%%s */\\nvoid solve(const float *x, float *y, int "
				     "N)\\n{\\n\\ty[N - 1] = x[0];\\n}\\n' "
				     "$ms > $next\n"
				     "{ if [ $i = 0 ]; then printf '## Primary "
				     "references\\n|a|b|c|\\n|---|---|---|\\n|memory: a|adopted|b|\\n|compute: "
				     "a|adopted|b|\\n|sync: a|adopted|b|\\n'; fi\n"
				     "printf '## Bottlenecks\\n1. w\\n## Evidence\\n- kernel.median_ms = %%s ms\\n## "
				     "Pipelining assessment\\nno\\n## "
				     "Change\\nc\\n## Preferred strategies\\n' $((10 - i))\n"
				     "printf '%%s\\n' \"$state\" | sed -n '/^  \"preferred\"/,/^  \\]/s/^      "
				     "\"fingerprint\": \"\\(.*\\)\",$/- \\1: not "
				     "merged; x/p'\n"
				     "printf '## Strategy tags\\n- t%%s\\n' $i; } > $p\n",
				     more);
	k->o.max_iterations = 3;
}

static void driven(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	proposer(k, "");
	const char *v0 = kit_source(k, "v0.c", "ms=10");
	if (!kit_call(k, v0))
		fail_msg("%s", k->e.text);
	const struct json *m = kit_manifest(k);
	assert_int_equal(json_get(m, "iterations")->n, 4);
	assert_int_equal(json_i64(m, "best_iteration", -1), 3);
	assert_int_equal(k->result.status, 0);
	/* Once more: nothing is left to do. */
	int n = k->n_versions;
	assert_true(kit_call(k, v0));
	assert_int_equal(k->n_versions, n);
	/* The file was edited since. */
	kit_source(k, "v0.c", "ms=11");
	assert_false(kit_call(k, v0));
	assert_non_null(strstr(k->e.text, "is not v0 of"));
	kit_source(k, "v0.c", "ms=10");
	/* A larger bound: it goes on. */
	k->o.max_iterations = 4;
	assert_true(kit_call(k, v0));
	assert_int_equal(k->n_versions, n + 1);
}

static void driven_on(void **state)
{
	struct kit *k = *state;
	kit_reference(k);
	proposer(k, "");
	k->o.max_iterations = 1;
	const char *v0 = kit_source(k, "v0.c", "ms=10");
	assert_true(kit_call(k, v0));
	/* The proposer was killed when it had written half a version. */
	k->o.max_iterations = 3;
	const char *half = path_join(&k->a, k->run, "versions/v2.c");
	kit_put(k, half, "void sol");
	kit_put(k, path_join(&k->a, k->run, "iter_v1/optimization_proposal.md"), "## Strategy tags\n- t1\n");
	if (!kit_call(k, v0))
		fail_msg("%s", k->e.text);
	assert_int_equal(json_get(kit_manifest(k), "iterations")->n, 4);
	assert_string_equal(kit_text(k, "versions/v2.c.partial-1"), "void sol");
}

static void touched(void **state)
{
	static const char *const ways[] = {"echo x >> $(dirname $(dirname $next))/iter_v0/benchmark_result.json",
					   "echo x > $(dirname $(dirname $next))/iter_v0/more",
					   "rm -f /nowhere DIR/data.txt", "echo y > DIR/data.txt"};
	struct kit *k = *state;
	kit_reference(k);
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		const char *dir = arena_printf(&k->a, "%s/t%zu", k->dir, i), *way = ways[i], *at = strstr(way, "DIR");
		assert_true(file_mkdirs(dir, 0755, &k->e));
		kit_put(k, path_join(&k->a, dir, "data.txt"), "x\n");
		if (at)
			way = arena_printf(&k->a, "%.*s%s%s", (int)(at - way), way, dir, at + 3);
		proposer(k, way);
		k->run = k->o.run_dir = arena_printf(&k->a, "%s/run%zu", k->dir, i);
		const char *v0 = arena_printf(&k->a, "t%zu/v0.c", i);
		if (kit_call(k, kit_source(k, v0, "ms=10")))
			fail_msg("way %zu was not seen", i);
		assert_int_equal(k->e.code, ERR_INPUT);
		if (!strstr(k->e.text, i == 0 ? "benchmark_result.json" : i == 1 ? "more" : "data.txt"))
			fail_msg("%s", k->e.text);
		assert_string_equal(json_str(json_get(kit_manifest(k), "ended"), "reason", STR("")).p,
				    "proposer_touched_files");
		assert_non_null(strstr(kit_text(k, "final_summary.md"), "Ended: proposer_touched_files"));
		assert_false(kit_call(k, kit_source(k, v0, "ms=10"))); /* over is over */
		assert_non_null(strstr(k->e.text, "this run is over"));
	}
}

static void failing_proposers(void **state)
{
	static const struct {
		const char *command, *text;
	} cases[] = {
		{"exit 3", "failed: exit 3"},
		{"true", "wrote no"},
		{"cat > /dev/null; mkdir -p RUN/versions; echo x > RUN/versions/v1.c", "unchanged"},
	};
	struct kit *k = *state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		k->run = k->o.run_dir = arena_printf(&k->a, "%s/run%zu", k->dir, i);
		const char *c = cases[i].command, *at;
		while ((at = strstr(c, "RUN")) != NULL)
			c = arena_printf(&k->a, "%.*s%s%s", (int)(at - c), c, k->run, at + 3);
		k->o.proposer = c;
		assert_false(kit_call(k, kit_source(k, "v0.c", "ms=10")));
		if (!strstr(k->e.text, cases[i].text))
			fail_msg("%zu: %s", i, k->e.text);
	}
	/* A proposal with errors goes back to its author three times; the state says what is wrong. */
	k->run = k->o.run_dir = path_join(&k->a, k->dir, "again");
	k->o.proposer = arena_printf(
		&k->a,
		"n=$(cat %s/n 2>/dev/null); n=$((n + 1)); echo $n > %s/n; cat > %s/state$n; mkdir -p %s/versions; "
		"echo \"void solve(const float *x, float *y, int N) { y[N-1] = x[0]; } /* $n */\" > "
		"%s/versions/v1.c; printf '## Change\n%%s\n' $n > %s/iter_v0/optimization_proposal.md",
		"/tmp", "/tmp", "/tmp", k->run, k->run, k->run);
	const char *count = arena_printf(&k->a, "%s/out", k->dir);
	assert_true(file_mkdirs(count, 0755, &k->e));
	char *command = arena_strdup(&k->a, k->o.proposer);
	struct buf b;
	buf_init(&b);
	for (const char *p = command; *p;) { /* its notes go where nobody watches */
		if (strncmp(p, "/tmp/n", 6) == 0 || strncmp(p, "/tmp/state", 10) == 0) {
			buf_puts(&b, count);
			p += 4;
		} else {
			buf_char(&b, *p++);
		}
	}
	k->o.proposer = b.p;
	assert_true(file_mkdirs(path_join(&k->a, k->dir, "src"), 0755, &k->e));
	assert_false(kit_call(k, kit_source(k, "src/v0.c", "ms=10")));
	if (!strstr(k->e.text, "no heading"))
		fail_msg("%s", k->e.text);
	assert_true(file_exists(path_join(&k->a, count, "state3")));
	assert_false(file_exists(path_join(&k->a, count, "state4")));
	struct json *s = json_read_file(&k->a, path_join(&k->a, count, "state2"), JSON_STRICT, &k->e);
	assert_true(json_get(s, "proposal_errors")->n > 0);
	buf_release(&b);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
	const struct CMUnitTest tests[] = {
		TEST(outcomes),  TEST(second_run), TEST(other_scope), TEST(newest_evidence),  TEST(not_shared),
		TEST(reports),   TEST(gate),       TEST(frozen),      TEST(numbers_and_redo), TEST(bad_baseline),
		TEST(cut_short), TEST(driven),     TEST(driven_on),   TEST(touched),          TEST(failing_proposers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
