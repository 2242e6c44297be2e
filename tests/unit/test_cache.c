/* Caches: round trip, damage, bounds, entries in use, several processes, killed makers. */
#include "store/cache.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

struct fixture {
	char folder[32];
	struct arena a;
	struct cache *c;
	struct err e;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	snprintf(f->folder, sizeof(f->folder), "/tmp/assay-test-cch.XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	arena_init(&f->a);
	setenv("ASSAY_CACHE_DIR", f->folder, 1);
	f->c = cache_open("test", 1000, &f->e);
	*state = f;
	return f->c ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	cache_free(f->c);
	bool ok = file_remove_tree(f->folder, &f->e);
	arena_release(&f->a);
	free(f);
	return ok ? 0 : -1;
}

static const char *key_of(struct fixture *f, int i)
{
	char *key = arena_alloc(&f->a, SHA256_HEX);
	sha256_of(&i, sizeof(i), key);
	return key;
}

static bool put(struct fixture *f, int i, size_t n)
{
	char *text = arena_alloc(&f->a, n + 1);
	memset(text, 'a' + i % 26, n);
	return cache_put_bytes(f->c, key_of(f, i), (struct str){text, n}, &f->e);
}

static bool has(struct fixture *f, int i)
{
	struct str got;
	return cache_get_bytes(f->c, &f->a, key_of(f, i), &got);
}

static void test_values(void **state)
{
	struct fixture *f = *state;
	struct str got;
	assert_false(cache_get_bytes(f->c, &f->a, key_of(f, 1), &got));
	assert_true(cache_put_bytes(f->c, key_of(f, 1), STR("12.4"), &f->e));
	assert_true(cache_get_bytes(f->c, &f->a, key_of(f, 1), &got));
	assert_true(str_is(got, "12.4"));
	assert_true(cache_put_bytes(f->c, key_of(f, 1), STR("12.4"), &f->e)); /* there already */
	assert_true(cache_put_bytes(f->c, key_of(f, 2), STR(""), &f->e));
	assert_true(cache_get_bytes(f->c, &f->a, key_of(f, 2), &got));
	assert_int_equal(got.n, 0);
	const char *bad[] = {"", "abc", "../../../../etc/passwd"};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_false(cache_put_bytes(f->c, bad[i], STR("x"), &f->e));
		assert_false(cache_get_bytes(f->c, &f->a, bad[i], &got));
	}
	assert_null(cache_open("../x", 0, &f->e));
	assert_null(cache_open("", 0, &f->e));
	struct cache_usage u;
	assert_true(cache_usage(f->c, &u, &f->e));
	assert_int_equal(u.n_entries, 2);
	assert_int_equal(u.n_bytes, 4);
	struct stat st;
	assert_int_equal(stat(cache_folder(f->c), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void test_folders(void **state)
{
	struct fixture *f = *state;
	struct cache_draft d;
	struct cache_entry entry;
	assert_true(cache_begin(f->c, &f->a, key_of(f, 1), &d, &f->e));
	assert_true(file_write_str(path_join(&f->a, d.path, "kernel.so"), STR("ELF"), &f->e));
	assert_true(file_write_str(path_join(&f->a, d.path, "log.txt"), STR("fine"), &f->e));
	assert_true(cache_commit(f->c, &d, &f->e));
	assert_false(file_exists(d.path));
	assert_true(cache_get(f->c, &f->a, key_of(f, 1), &entry));
	assert_int_equal(entry.n_bytes, 7);
	char *so = path_join(&f->a, entry.path, "kernel.so");
	struct str got;
	assert_true(file_read(&f->a, &got, so, 10, &f->e));
	assert_true(str_is(got, "ELF"));
	cache_done(&entry);
	cache_done(&entry); /* twice is fine */
	/* one byte changed, a file gone, a file cut: the entry is absent and makes room */
	assert_int_equal(chmod(so, 0644), 0);
	assert_true(file_write_str(so, STR("ELf"), &f->e));
	assert_false(cache_get(f->c, &f->a, key_of(f, 1), &entry));
	assert_false(file_exists(so));
	/* what an entry cannot hold is refused, and nothing is left */
	assert_true(cache_begin(f->c, &f->a, key_of(f, 2), &d, &f->e));
	assert_int_equal(symlink("/etc/passwd", path_join(&f->a, d.path, "link")), 0);
	assert_false(cache_commit(f->c, &d, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	assert_false(file_exists(d.path));
	assert_true(cache_begin(f->c, &f->a, key_of(f, 2), &d, &f->e));
	assert_int_equal(mkdir(path_join(&f->a, d.path, "folder"), 0755), 0);
	assert_false(cache_commit(f->c, &d, &f->e));
	assert_true(cache_begin(f->c, &f->a, key_of(f, 2), &d, &f->e));
	cache_abandon(&d);
	assert_false(file_exists(d.path));
}

static void test_bounds(void **state)
{
	struct fixture *f = *state;
	assert_false(put(f, 0, 1001)); /* more than the whole cache */
	assert_int_equal(f->e.code, ERR_NO_SPACE);
	for (int i = 1; i <= 4; i++)
		assert_true(put(f, i, 240));
	assert_true(has(f, 1));      /* used: now the youngest */
	assert_true(put(f, 5, 240)); /* 1200: down to 800 or less */
	struct cache_usage u;
	assert_true(cache_usage(f->c, &u, &f->e));
	assert_int_equal(u.n_bytes, 720);
	assert_true(has(f, 1) && has(f, 4) && has(f, 5));
	assert_false(has(f, 2) || has(f, 3));
	assert_true(put(f, 6, 1000)); /* alone it fits, and stays */
	assert_true(has(f, 6));
	assert_false(has(f, 5));
	assert_true(cache_trim(f->c, 0, &f->e));
	assert_true(cache_usage(f->c, &u, &f->e));
	assert_int_equal(u.n_entries, 0);
	assert_int_equal(u.n_bytes, 0);
}

static void test_in_use(void **state)
{
	struct fixture *f = *state;
	struct cache_entry entry;
	assert_true(put(f, 1, 500));
	assert_true(cache_get(f->c, &f->a, key_of(f, 1), &entry));
	pid_t pid = fork();
	if (pid == 0) { /* another process trims everything; `entry`'s lock is on this open file, so open anew */
		close(entry.fd);
		_exit(cache_trim(f->c, 0, &f->e) ? 0 : 1);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_true(file_exists(path_join(&f->a, entry.path, "value")));
	cache_done(&entry);
	assert_true(cache_trim(f->c, 0, &f->e));
	assert_false(has(f, 1));
}

/* What is of the past makes room for the new, but not under its reader. */
static void test_drop(void **state)
{
	struct fixture *f = *state;
	struct cache_entry entry;
	struct str got;
	assert_true(cache_put_bytes(f->c, key_of(f, 1), STR("old"), &f->e));
	assert_true(cache_get(f->c, &f->a, key_of(f, 1), &entry));
	cache_drop(f->c, key_of(f, 1));
	assert_true(has(f, 1));
	cache_done(&entry);
	cache_drop(f->c, key_of(f, 1));
	assert_false(has(f, 1));
	cache_drop(f->c, key_of(f, 1));
	cache_drop(f->c, "abc");
	assert_true(cache_put_bytes(f->c, key_of(f, 1), STR("new"), &f->e));
	assert_true(cache_get_bytes(f->c, &f->a, key_of(f, 1), &got));
	assert_true(str_is(got, "new"));
}

static void test_wrong_total(void **state)
{
	struct fixture *f = *state;
	char *total = path_join(&f->a, cache_folder(f->c), "total");
	assert_true(put(f, 1, 300));
	assert_true(file_write_str(total, STR("garbage"), &f->e));
	assert_true(put(f, 2, 300));
	assert_true(file_write_str(total, STR("18446744073709551615"), &f->e));
	assert_true(put(f, 3, 200));
	assert_true(has(f, 1) && has(f, 2) && has(f, 3));
	struct str text;
	assert_true(file_read(&f->a, &text, total, 100, &f->e));
	assert_true(str_is(str_trim(text), "800"));
}

/* A broken entry (no entry.json, as a removal that was killed leaves) is replaced and never given out. */
static void test_broken(void **state)
{
	struct fixture *f = *state;
	const char *key = key_of(f, 1);
	char *path = arena_printf(&f->a, "%s/entries/%.2s/%s", cache_folder(f->c), key, key + 2);
	assert_true(put(f, 1, 10));
	assert_int_equal(unlink(path_join(&f->a, path, "entry.json")), 0);
	assert_false(has(f, 1));
	assert_true(put(f, 1, 10));
	assert_true(has(f, 1));
	/* an entry that says it is another one's */
	const char *other = key_of(f, 2);
	char *wrong = arena_printf(&f->a, "%s/entries/%.2s/%s", cache_folder(f->c), other, other + 2);
	assert_true(file_mkdirs(path_dir(&f->a, wrong), 0700, &f->e));
	assert_int_equal(rename(path, wrong), 0);
	assert_false(has(f, 2));
}

static void test_dead_maker(void **state)
{
	struct fixture *f = *state;
	struct cache_draft mine;
	assert_true(cache_begin(f->c, &f->a, key_of(f, 9), &mine, &f->e));
	pid_t pid = fork();
	if (pid == 0) {
		struct cache_draft d;
		if (cache_begin(f->c, &f->a, key_of(f, 1), &d, &f->e))
			raise(SIGKILL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	char *drafts = path_join(&f->a, cache_folder(f->c), "drafts");
	size_t n;
	char **names = file_list(&f->a, drafts, &n, &f->e);
	assert_int_equal(n, 2);
	assert_true(cache_trim(f->c, 0, &f->e));
	for (size_t i = 0; i < n; i++) { /* young ones stay: their maker may be about to lock them */
		char *path = path_join(&f->a, drafts, names[i]);
		struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
		assert_true(file_exists(path));
		assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	}
	assert_true(cache_trim(f->c, 0, &f->e));
	names = file_list(&f->a, drafts, &n, &f->e);
	assert_int_equal(n, 1);
	assert_string_equal(path_join(&f->a, drafts, names[0]), mine.path);
	cache_abandon(&mine);
}

/* Several processes put and get few keys in a cache that is too small for all of them. */
static void test_processes(void **state)
{
	struct fixture *f = *state;
	enum { N = 4, ROUNDS = 40 };
	for (int p = 0; p < N; p++) {
		if (fork() != 0)
			continue;
		for (int r = 0; r < ROUNDS; r++) {
			int i = (r * 7 + p) % 9;
			struct str got;
			if (cache_get_bytes(f->c, &f->a, key_of(f, i), &got)) {
				if (got.n != 150 || got.p[0] != 'a' + i || got.p[149] != 'a' + i)
					_exit(1);
			} else if (!put(f, i, 150)) {
				dprintf(2, "%s\n", f->e.text);
				_exit(2);
			}
		}
		_exit(0);
	}
	for (int p = 0; p < N; p++) {
		int status;
		wait(&status);
		assert_int_equal(status, 0);
	}
	struct cache_usage u;
	assert_true(cache_usage(f->c, &u, &f->e));
	assert_true(u.n_bytes <= 1000);
	size_t n;
	assert_non_null(file_list(&f->a, path_join(&f->a, cache_folder(f->c), "drafts"), &n, &f->e));
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_folders, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_use, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drop, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_total, setup, teardown),
		cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dead_maker, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processes, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
