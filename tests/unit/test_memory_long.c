/* Eight runs at once on one strategy memory, with versions that are not built (loop_kit.h): no update is lost, and the mirror is
 * what the database says.
 * In: SECONDS_EACH in the environment, how long the runs go on; 1 without it.
 * Out: cmocka's report.
 * Never: asserts a time. */
#include "loop_kit.h"

#include <sys/wait.h>

#include "base/clock.h"

enum { RUNS = 8, ROUNDS = 12 };

static void child_fails(const struct kit *k)
{
	fprintf(stderr, "%s\n", k->e.text);
	_exit(2);
}

/* Whole runs of ROUNDS versions one after the other; counts versions with an outcome of their own. */
static void runs(struct kit *k, int i, int64_t until)
{
	unsigned random = 77u + (unsigned)i;
	int64_t n = 0;
	const char *counts = arena_printf(&k->a, "%s/count%d", k->dir, i);
	for (int x = 0; clock_ns() < until || x == 0; x++) {
		struct arena_mark mark = arena_mark(&k->a);
		k->run = k->o.run_dir = arena_printf(&k->a, "%s/run%d-%d", k->dir, i, x);
		k->o.bench.input.path = arena_printf(&k->a, "%s/src%d/next.c", k->dir, i);
		for (int v = 0; v <= ROUNDS; v++) {
			random = random * 1103515245 + 12345;
			const char *tags = arena_printf(&k->a, "a%u b%u", (random >> 8) % 40, (random >> 16) % 40);
			const char *says = (random >> 20) % 5 == 0
						   ? "verdict=wrong_result"
						   : arena_printf(&k->a, "ms=%u", 2 + (random >> 12) % 9);
			if (v)
				kit_propose(k, tags);
			if (!kit_call(k, kit_source(k, arena_printf(&k->a, "src%d/next.c", i), v ? says : "ms=6")))
				child_fails(k);
			struct str reason = json_str(json_get(k->last, "strategy"), "reason", STR(""));
			n += !str_is(reason, "blocked_strategy_reused");
		}
		kit_put(k, counts, arena_printf(&k->a, "%lld", (long long)n));
		struct err e;
		if (!file_remove_tree(k->run, &e))
			_exit(3);
		arena_reset(&k->a, mark);
	}
	_exit(0);
}

static void no_lost_update(void **state)
{
	struct kit *k = *state;
	const char *wanted = getenv("SECONDS_EACH");
	int64_t until = clock_ns() + INT64_C(1000000000) * (wanted ? strtol(wanted, NULL, 10) : 1), n = 0, counted = 0;
	pid_t pids[RUNS];
	bool is_equal = false;
	for (int i = 0; i < RUNS; i++)
		assert_true(file_mkdirs(arena_printf(&k->a, "%s/src%d", k->dir, i), 0755, &k->e));
	k->o.bench.input.ref = kit_source(k, "solve_ref.c", "");
	fflush(NULL);
	for (int i = 0; i < RUNS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			runs(k, i, until);
	}
	for (int i = 0; i < RUNS; i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
		int64_t one = 0;
		k->run = k->dir;
		assert_true(str_i64(str_from(kit_text(k, arena_printf(&k->a, "count%d", i))), &one));
		n += one;
	}
	struct memory *m = memory_open(k->o.memory_dir, &k->e);
	assert_non_null(m);
	const struct json *scopes = json_get(memory_document(m, &k->a, &k->e), "scopes");
	for (size_t o = 0; o < 3; o++) {
		const struct json *bucket = json_get(scopes->members[0].value, memory_outcomes[o]);
		for (size_t i = 0; i < bucket->n; i++)
			counted += json_i64(bucket->members[i].value, "count", 0);
	}
	print_message("%lld outcomes of %d runs at once\n", (long long)n, RUNS);
	assert_int_equal(counted, n);
	assert_true(memory_verify(m, &is_equal, &k->e));
	assert_true(is_equal);
	memory_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_lost_update, kit_setup, kit_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
