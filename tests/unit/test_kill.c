/* A run that is killed at random moments and continued is the run that was not (loop_kit.h: nothing is measured).
 * In: KILLS in the environment, the number of kills; 10 without it.
 * Out: cmocka's report.
 * Never: asserts a time. */
#include "loop_kit.h"

#include <sys/wait.h>

#include "base/clock.h"

/* A proposer that takes a while, in three writes, so that kills meet it too. */
static void write_proposer(struct kit *k)
{
	const char *path = path_join(&k->a, k->dir, "src/propose.sh");
	kit_put(k, path,
		"state=$(cat)\n"
		"f() { printf '%s\\n' \"$state\" | sed -n 's/^  \"'$1'\": \"\\{0,1\\}\\([^\",]*\\).*/\\1/p'; }\n"
		"i=$(f iteration); next=$(f next_path); p=$(f proposal_path)\n"
		"set -- '' 'ms=5' 'verdict=wrong_result' 'ms=7' 'ms=3'; eval says=\\$$((i + 2))\n"
		"printf '/* %s */\\n' \"$says\" > $next\n"
		"{ [ $i != 0 ] || printf '## Primary references\\n|a|b|c|\\n|---|---|---|\\n|memory: "
		"a|adopted|b|\\n|compute: a|"
		"adopted|b|\\n|sync: a|adopted|b|\\n'\n"
		"printf '## Bottlenecks\\n1. w\\n## Evidence\\n'\n"
		"sed -n 's/.*\"median_ms\": \\([0-9][0-9.]*\\).*/- kernel.median_ms = \\1 ms/p' $(f benchmark_result); "
		"} > "
		"$p\n"
		"printf 'void solve(const float *x, float *y, int N)\\n{\\n\\ty[N - 1] = x[0];\\n}\\n' >> $next\n"
		"{ printf '## Pipelining assessment\\nno\\n## Change\\nc\\n## Preferred strategies\\n'\n"
		"printf '%s\\n' \"$state\" | sed -n '/^  \"preferred\"/,/^  \\]/s/^      \"fingerprint\": "
		"\"\\(.*\\)\",$/- \\1: not "
		"merged; x/p'\n"
		"printf '## Strategy tags\\n- t%s\\n' $i; } >> $p\n");
	k->o.proposer = arena_printf(&k->a, "sh %s", path);
	k->o.max_iterations = 4;
}

static bool is_masked(struct str key)
{
	static const char *const masked[] = {"at",      "created_at",       "updated_at",        "run_id",
					     "attempt", "baseline_attempt", "candidate_attempt", "seconds"};
	for (size_t i = 0; i < COUNT_OF(masked); i++) {
		if (str_is(key, masked[i]))
			return true;
	}
	return false;
}

static void mask(struct kit *k, struct json *j)
{
	if (j->type == JSON_OBJECT) {
		for (size_t i = 0; i < j->n; i++) {
			if (is_masked(j->members[i].key))
				j->members[i].value = json_new_null(&k->a);
			mask(k, j->members[i].value);
		}
	}
	for (size_t i = 0; j->type == JSON_ARRAY && i < j->n; i++)
		mask(k, j->items[i]);
}

/* The manifest without times, and without the folder's own name. */
static const char *manifest_text(struct kit *k)
{
	struct json *m = kit_manifest(k);
	struct buf b;
	mask(k, m);
	buf_init(&b);
	json_write(&b, m, JSON_PRETTY);
	const char *text = arena_strndup(&k->a, b.p, b.n), *root = arena_printf(&k->a, "%s/", k->dir);
	buf_clear(&b);
	for (const char *p = text; *p;) {
		if (strncmp(p, root, strlen(root)) == 0)
			p += strlen(root);
		else
			buf_char(&b, *p++);
	}
	text = arena_strndup(&k->a, b.p, b.n);
	buf_release(&b);
	return text;
}

static void begin(struct kit *k)
{
	struct err e;
	if (!file_remove_tree(path_join(&k->a, k->dir, "run"), &e) ||
	    !file_remove_tree(path_join(&k->a, k->dir, "memory"), &e) ||
	    !file_mkdirs(path_join(&k->a, k->dir, "src"), 0755, &e))
		fail_msg("%s", e.text);
}

static bool go(struct kit *k)
{
	return kit_call(k, path_join(&k->a, k->dir, "src/v0.c"));
}

static void no_leftovers(struct kit *k, const char *folder, int depth)
{
	size_t n;
	char **names = file_list(&k->a, folder, &n, &k->e);
	for (size_t i = 0; names && i < n; i++) {
		const char *path = path_join(&k->a, folder, names[i]);
		bool is_known = strcmp(names[i], ".lock") == 0 || strcmp(names[i], ".proposer") == 0;
		bool is_partial = strstr(names[i], ".partial-") != NULL; /* evidence of a killed call, kept aside */
		if (names[i][0] == '.' && !is_known)
			fail_msg("left: %s", path);
		if (file_is_dir(path) && !is_partial && depth < 3)
			no_leftovers(k, path, depth + 1);
	}
}

static void check_memory(struct kit *k)
{
	struct memory *m = memory_open(k->o.memory_dir, &k->e);
	bool is_equal = false;
	assert_non_null(m);
	assert_true(memory_verify(m, &is_equal, &k->e));
	assert_true(is_equal);
	const struct json *scopes = json_get(memory_document(m, &k->a, &k->e), "scopes");
	size_t n = 0;
	for (size_t i = 0; i < 3; i++) {
		const struct json *bucket = json_get(scopes->members[0].value, memory_outcomes[i]);
		for (size_t x = 0; x < bucket->n; x++, n++)
			assert_int_equal(json_i64(bucket->members[x].value, "count", 0),
					 1); /* once, however often it was done */
	}
	assert_int_equal(n, 5);
	memory_close(m);
}

static void killed_and_continued(void **state)
{
	struct kit *k = *state;
	const char *wanted = getenv("KILLS");
	int n_kills = wanted ? (int)strtol(wanted, NULL, 10) : 10;
	unsigned random = 20261129;
	begin(k);
	kit_source(k, "src/v0.c", "ms=10");
	k->o.bench.input.ref = kit_source(k, "src/solve_ref.c", "");
	write_proposer(k);
	int64_t start = clock_ns();
	if (!go(k))
		fail_msg("%s", k->e.text);
	int64_t whole = clock_ns() - start;
	const char *undisturbed = manifest_text(k);
	for (int i = 0; i < n_kills; i++) {
		begin(k);
		fflush(NULL);
		pid_t pid = fork();
		if (pid == 0) {
			(void)setpgid(0, 0);
			_exit(go(k) ? 0 : 1);
		}
		random = random * 1103515245 + 12345;
		clock_sleep_ns((int64_t)((double)whole * ((random >> 8) % 1000) / 1000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (!go(k))
			fail_msg("kill %d: %s", i, k->e.text);
		const char *text = manifest_text(k);
		if (strcmp(text, undisturbed) != 0) {
			kit_put(k, "/tmp/assay_kill_wanted.json", undisturbed);
			kit_put(k, "/tmp/assay_kill_got.json", text);
			fail_msg("kill %d: another manifest: diff /tmp/assay_kill_{wanted,got}.json", i);
		}
		no_leftovers(k, k->dir, 0);
		check_memory(k);
	}
}

/* Cut between the manifest that holds a version and what follows from it. */
static void cut_before_follow_up(void **state)
{
	struct kit *k = *state;
	begin(k);
	kit_source(k, "src/v0.c", "ms=10");
	k->o.bench.input.ref = kit_source(k, "src/solve_ref.c", "");
	write_proposer(k);
	if (!go(k))
		fail_msg("%s", k->e.text);
	const char *whole = manifest_text(k), *text = kit_text(k, "iter_v4/iteration_summary.md");
	struct json *m = kit_manifest(k);
	struct buf b;
	assert_true(json_get(m, "follow_up")->type == JSON_NULL);
	json_set_u64(m, "follow_up", 4);
	json_set_object(m, "constraints");
	buf_init(&b);
	json_write(&b, m, JSON_PRETTY);
	kit_put(k, path_join(&k->a, k->run, "run_manifest.json"), b.p);
	buf_release(&b);
	kit_put(k, path_join(&k->a, k->run, "iter_v4/iteration_summary.md"), "half of i");
	if (!go(k))
		fail_msg("%s", k->e.text);
	assert_string_equal(manifest_text(k), whole);
	assert_string_equal(kit_text(k, "iter_v4/iteration_summary.md"), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(killed_and_continued, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(cut_before_follow_up, kit_setup, kit_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
