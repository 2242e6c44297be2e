/* Journals: append, replay, torn tails, damage in the middle, several writers, failing writes. */
#include "store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"

struct fixture {
	char folder[32];
	char *path;
	struct arena a;
	struct err e;
	int64_t seen[4096];
	size_t n_seen, stop_at;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	snprintf(f->folder, sizeof(f->folder), "/tmp/assay-test-jnl.XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	arena_init(&f->a);
	f->path = path_join(&f->a, f->folder, "events.jsonl");
	f->stop_at = SIZE_MAX;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	bool ok = file_remove_tree(f->folder, &f->e);
	arena_release(&f->a);
	free(f);
	return ok ? 0 : -1;
}

static bool add(struct journal *j, int64_t i, struct err *e)
{
	struct arena a;
	arena_init(&a);
	struct json *event = json_object(&a);
	json_set_i64(event, "i", i);
	json_set_cstr(event, "text", "a \"quoted\" line\nwith a break, \xc3\xa9");
	bool ok = journal_append(j, event, e);
	arena_release(&a);
	return ok;
}

static bool each(void *ctx, const struct json *event, uint64_t i_line)
{
	struct fixture *f = ctx;
	assert_int_equal(i_line, f->n_seen);
	assert_null(json_get(event, "~sum"));
	assert_true(str_ends(json_str(event, "text", STR("")), "\xc3\xa9"));
	f->seen[f->n_seen++] = json_i64(event, "i", -1);
	return f->n_seen < f->stop_at;
}

static bool replay(struct fixture *f, uint64_t *n_torn)
{
	f->n_seen = 0;
	return journal_replay(f->path, each, f, n_torn, &f->e);
}

static void write_some(struct fixture *f, int64_t from, int64_t to)
{
	struct journal *j;
	assert_true(journal_open(&j, f->path, NULL, &f->e));
	for (int64_t i = from; i < to; i++)
		assert_true(add(j, i, &f->e));
	assert_int_equal(journal_lines(j), to);
	journal_close(j);
}

static void test_append_replay(void **state)
{
	struct fixture *f = *state;
	uint64_t n_torn = 7;
	assert_true(replay(f, &n_torn)); /* absent: no lines */
	assert_int_equal(f->n_seen, 0);
	write_some(f, 0, 3);
	write_some(f, 3, 5);
	assert_true(replay(f, &n_torn));
	assert_int_equal(n_torn, 0);
	assert_int_equal(f->n_seen, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(f->seen[i], i);
	f->stop_at = 2;
	assert_true(replay(f, NULL));
	assert_int_equal(f->n_seen, 2);
	/* every line is JSON as it stands */
	struct str text, line;
	assert_true(file_read(&f->a, &text, f->path, 10000, &f->e));
	int n = 0;
	while (str_split(&text, '\n', &line) && line.n) {
		struct json *j = json_parse(&f->a, "line", line, JSON_STRICT, &f->e);
		assert_non_null(j);
		assert_int_equal(json_str(j, "~sum", STR("")).n, 16);
		n++;
	}
	assert_int_equal(n, 5);
}

static void test_refuses(void **state)
{
	struct fixture *f = *state;
	struct journal *j;
	assert_true(journal_open(&j, f->path, NULL, &f->e));
	struct json *event = json_object(&f->a);
	assert_false(journal_append(j, event, &f->e));
	assert_false(journal_append(j, json_array(&f->a), &f->e));
	json_set_cstr(event, "~sum", "0");
	assert_false(journal_append(j, event, &f->e));
	struct json *big = json_object(&f->a);
	char *text = arena_alloc(&f->a, JOURNAL_MAX_LINE);
	memset(text, 'x', JOURNAL_MAX_LINE);
	json_set_str(big, "a", (struct str){text, JOURNAL_MAX_LINE});
	assert_false(journal_append(j, big, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	json_set_str(big, "a", (struct str){text, JOURNAL_MAX_LINE - 35}); /* {"a":""} and the sum fill the rest */
	assert_true(journal_append(j, big, &f->e));
	assert_int_equal(journal_lines(j), 1);
	journal_close(j);
	assert_true(journal_open(&j, f->path, NULL, &f->e));
	assert_int_equal(journal_lines(j), 1);
	journal_close(j);
	assert_false(journal_open(&j, f->folder, NULL, &f->e));
	assert_false(journal_open(&j, "/dev/null", NULL, &f->e));
}

/* Cut anywhere: what is whole is kept, the rest is cut, and writing goes on. */
static void test_torn(void **state)
{
	struct fixture *f = *state;
	write_some(f, 0, 2);
	size_t two = (size_t)file_size(f->path);
	write_some(f, 2, 3);
	struct str whole;
	assert_true(file_read(&f->a, &whole, f->path, 10000, &f->e));
	for (size_t n = two; n < whole.n; n++) {
		uint64_t n_torn, n_cut;
		struct journal *j;
		assert_true(file_write(f->path, whole.p, n, &f->e));
		assert_true(replay(f, &n_torn));
		assert_int_equal(f->n_seen, 2);
		assert_int_equal(n_torn, n - two);
		assert_true(journal_open(&j, f->path, &n_cut, &f->e));
		assert_int_equal(n_cut, n - two);
		assert_true(add(j, 2, &f->e));
		journal_close(j);
		struct str again;
		assert_true(file_read(&f->a, &again, f->path, 10000, &f->e));
		assert_true(str_eq(whole, again)); /* the same chain */
	}
	/* power loss can leave zeros where a line was to be */
	struct buf b;
	buf_init(&b);
	buf_add(&b, whole.p, two);
	buf_repeat(&b, 0, 4096);
	assert_true(file_write(f->path, b.p, b.n, &f->e));
	buf_release(&b);
	write_some(f, 2, 3);
}

/* A changed byte, a missing line, two lines exchanged: an error that names the line, and nothing is cut. */
static void test_damage(void **state)
{
	struct fixture *f = *state;
	write_some(f, 0, 3);
	struct str whole;
	assert_true(file_read(&f->a, &whole, f->path, 10000, &f->e));
	size_t first = str_find_char(whole, '\n') + 1;
	for (size_t i = 0; i < first; i += 3) {
		char *copy = arena_strndup(&f->a, whole.p, whole.n);
		copy[i] ^= 1;
		assert_true(file_write(f->path, copy, whole.n, &f->e));
		assert_false(replay(f, NULL));
		assert_int_equal(f->e.code, ERR_CORRUPT);
		assert_non_null(strstr(f->e.text, "line 1"));
		struct journal *j;
		assert_false(journal_open(&j, f->path, NULL, &f->e));
		assert_null(j);
		assert_int_equal(file_size(f->path), (int64_t)whole.n);
	}
	assert_true(file_write(f->path, whole.p + first, whole.n - first, &f->e));
	assert_false(replay(f, NULL));
	assert_int_equal(f->e.code, ERR_CORRUPT);
}

/* A line with the right sum that is no JSON object (someone else wrote it). */
static void test_no_json(void **state)
{
	struct fixture *f = *state;
	char sum[65];
	sha256_of("0000000000000000{nonsense", 25, sum);
	char *line = arena_printf(&f->a, "{nonsense,\"~sum\":\"%.16s\"}\n", sum);
	assert_true(file_write_str(f->path, str_from(line), &f->e));
	assert_false(replay(f, NULL));
	assert_int_equal(f->e.code, ERR_CORRUPT);
}

static void test_writers(void **state)
{
	struct fixture *f = *state;
	enum { N = 4, LINES = 25 };
	for (int p = 0; p < N; p++) {
		if (fork() != 0)
			continue;
		struct journal *j;
		if (!journal_open(&j, f->path, NULL, &f->e))
			_exit(1);
		for (int i = 0; i < LINES; i++) {
			if (!add(j, p * 1000 + i, &f->e))
				_exit(2);
		}
		_exit(0);
	}
	for (int p = 0; p < N; p++) {
		int status;
		wait(&status);
		assert_int_equal(status, 0);
	}
	uint64_t n_torn;
	assert_true(replay(f, &n_torn));
	assert_int_equal(n_torn, 0);
	assert_int_equal(f->n_seen, N * LINES);
	int64_t last[N] = {-1, -1, -1, -1};
	for (size_t i = 0; i < f->n_seen; i++) { /* each writer's lines in its own order */
		int64_t *of = &last[f->seen[i] / 1000];
		assert_true(f->seen[i] % 1000 > *of);
		*of = f->seen[i] % 1000;
	}
}

static int append_in_child(struct fixture *f, rlim_t max_file, const char *failpoint)
{
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit limit = {max_file, max_file};
		struct journal *j;
		if (failpoint)
			setenv("ASSAY_FAILPOINT", failpoint, 1);
		if (!journal_open(&j, f->path, NULL, &f->e) || (max_file && setrlimit(RLIMIT_FSIZE, &limit) != 0))
			_exit(9);
		_exit(add(j, 2, &f->e) ? 0 : (int)f->e.code + 10);
	}
	int status;
	waitpid(pid, &status, 0);
	return status;
}

static void test_failing_writes(void **state)
{
	struct fixture *f = *state;
	write_some(f, 0, 2);
	int64_t size = file_size(f->path);
	/* half a line reaches the file, then the limit: by default the kernel ends the writer */
	int status = append_in_child(f, (rlim_t)size + 20, NULL);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
	assert_int_equal(file_size(f->path), size + 20);
	uint64_t n_torn;
	assert_true(replay(f, &n_torn));
	assert_int_equal(n_torn, 20);
	/* with the signal ignored the writer lives and takes its half line back */
	signal(SIGXFSZ, SIG_IGN);
	status = append_in_child(f, (rlim_t)size + 20, NULL);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(WEXITSTATUS(status), ERR_IO + 10);
	assert_int_equal(file_size(f->path), size);
	status = append_in_child(f, 0, "journal.write:1:28");
	assert_int_equal(WEXITSTATUS(status), ERR_NO_SPACE + 10);
	status = append_in_child(f, 0, "journal.sync:1:5");
	assert_int_equal(WEXITSTATUS(status), ERR_IO + 10);
	assert_int_equal(file_size(f->path), size);
	status = append_in_child(f, 0, "journal.sync"); /* killed before the flush: the line may be there or not */
	assert_true(WIFSIGNALED(status));
	assert_true(replay(f, &n_torn));
	assert_int_equal(n_torn, 0);
	assert_int_equal(f->n_seen, 3);
}

static bool count(void *ctx, const struct json *event, uint64_t i_line)
{
	int *n = ctx;
	(*n)++;
	return json_i64(event, "at", -1) == 7 && i_line < 2;
}

/* The document of version 1 that stays readable for ever. */
static void test_version_1(void **state)
{
	struct fixture *f = *state;
	uint64_t n_torn = 1;
	int n = 0;
	assert_true(journal_replay("tests/data/formats/journal-v1.jsonl", count, &n, &n_torn, &f->e));
	assert_int_equal(n, 2);
	assert_int_equal(n_torn, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_append_replay, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_torn, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_json, setup, teardown),
		cmocka_unit_test_setup_teardown(test_writers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failing_writes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_version_1, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
