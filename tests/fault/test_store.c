/* The store under fire: kill -9 at every step, failing system calls, a full disk, a file size limit. After each, the
 * store verifies and the same work can be done again. */
#include "store/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/tree.h"

struct fixture {
	char folder[48];
	char *source, *root;
	struct arena a;
	struct err e;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	/* In memory where there is some: a kill leaves the same there, and an fsync costs nothing. */
	snprintf(f->folder, sizeof(f->folder), "%s/assay-test-flt.XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(f->folder))
		return -1;
	arena_init(&f->a);
	f->source = path_join(&f->a, f->folder, "source");
	f->root = path_join(&f->a, f->folder, "store");
	*state = f;
	if (!file_mkdirs(path_join(&f->a, f->source, "sub"), 0755, &f->e))
		return -1;
	char text[64];
	for (int i = 0; i < 12; i++) {
		snprintf(text, sizeof(text), "file %d", i);
		char *path = arena_printf(&f->a, "%s/%sf%d", f->source, i % 2 ? "sub/" : "", i);
		if (!file_write_str(path, str_from(text), &f->e))
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	unsetenv("ASSAY_FAILPOINT");
	bool ok = file_remove_tree(f->folder, &f->e);
	arena_release(&f->a);
	free(f);
	return ok ? 0 : -1;
}

/* What a trial does: an object, a tree, a record that names both. */
static bool work(const char *root, const char *source, struct err *e)
{
	struct arena a;
	arena_init(&a);
	struct store *s = store_open(root, e);
	char digest[SHA256_HEX], id[STORE_ID_MAX];
	struct tree t;
	bool ok = s && store_publish(s, "samples", 7, digest, e) && tree_freeze(s, source, NULL, &t, e);
	if (ok) {
		struct json *j = json_object(&a);
		json_set_cstr(j, "samples", digest);
		json_set_cstr(j, "tree", t.digest);
		ok = store_record(s, "trial", j, id, e);
	}
	store_close(s);
	arena_release(&a);
	return ok;
}

/* No damage; with leftovers swept none is left; every record's objects are there. */
static void check(struct fixture *f)
{
	struct store *s = store_open(f->root, &f->e);
	assert_non_null(s);
	struct store_check c;
	assert_true(store_verify(s, &f->a, &c, &f->e));
	if (c.n_damage)
		fail_msg("%s: %s", c.damage[0].path, c.damage[0].what);
	assert_true(c.n_leftovers <= 13);
	size_t n;
	char **ids = store_record_list(s, &f->a, "trial", &n, &f->e);
	assert_non_null(ids);
	for (size_t i = 0; i < n; i++) {
		struct json *j = store_record_read(s, &f->a, ids[i], &f->e);
		assert_non_null(j);
		struct str digest = json_str(j, "samples", STR(""));
		assert_true(store_has(s, arena_strndup(&f->a, digest.p, digest.n)));
		struct tree_entry *entries;
		size_t n_entries;
		digest = json_str(j, "tree", STR(""));
		assert_true(tree_read(s, &f->a, arena_strndup(&f->a, digest.p, digest.n), &entries, &n_entries, &f->e));
	}
	store_sweep(s, 0);
	assert_true(store_verify(s, &f->a, &c, &f->e));
	assert_int_equal(c.n_leftovers, 0);
	store_close(s);
}

static const char *const points[] = {"draft.create", "draft.write",  "draft.sync", "draft.link",
				     "draft.linked", "draft.folder", "tree.flush"};

/* Does the work in a child with the failpoint set; its wait status. */
static int work_failing(struct fixture *f, const char *failpoint)
{
	pid_t pid = fork();
	if (pid == 0) {
		setenv("ASSAY_FAILPOINT", failpoint, 1);
		_exit(work(f->root, f->source, &f->e) ? 0 : err_exit(f->e.code));
	}
	int status;
	waitpid(pid, &status, 0);
	return status;
}

static void test_kill(void **state)
{
	struct fixture *f = *state;
	int n_killed = 0;
	for (size_t p = 0; p < COUNT_OF(points); p++) {
		for (int hit = 1; hit < 100; hit++) {
			int status = work_failing(f, arena_printf(&f->a, "%s:%d", points[p], hit));
			check(f);
			if (WIFEXITED(status)) {
				assert_int_equal(WEXITSTATUS(status), 0); /* the point was not reached so often */
				assert_true(hit > 1);
				break;
			}
			assert_int_equal(WTERMSIG(status), SIGKILL);
			n_killed++;
			/* Steps that a finished store skips are met again in a fresh one. */
			assert_true(file_remove_tree(f->root, &f->e));
		}
		assert_true(work(f->root, f->source, &f->e));
		check(f);
		assert_true(file_remove_tree(f->root, &f->e));
	}
	assert_true(n_killed > 50);
}

/* Killed again and again in one store: each round finds what the rounds before left. */
static void test_kill_same_store(void **state)
{
	struct fixture *f = *state;
	for (size_t p = 0; p < COUNT_OF(points); p++) {
		for (int hit = 1; hit < 4; hit++) {
			work_failing(f, arena_printf(&f->a, "%s:%d", points[p], hit));
			check(f);
		}
	}
	assert_true(work(f->root, f->source, &f->e));
	check(f);
}

static void test_failing_calls(void **state)
{
	struct fixture *f = *state;
	for (size_t p = 0; p < COUNT_OF(points); p++) {
		int hit = strcmp(points[p], "tree.flush") == 0 ? 1 : 2; /* the tree is flushed once */
		int status = work_failing(f, arena_printf(&f->a, "%s:%d:%d", points[p], hit, EIO));
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 4);
		struct store *s = store_open(f->root, &f->e);
		struct store_check c;
		assert_true(store_verify(s, &f->a, &c, &f->e));
		assert_int_equal(c.n_damage, 0);
		assert_int_equal(c.n_leftovers, 0); /* a failure that we live to see leaves nothing */
		store_close(s);
		assert_true(file_remove_tree(f->root, &f->e));
	}
	/* a full disk has its own code, whatever step meets it */
	setenv("ASSAY_FAILPOINT", "draft.write:1:28", 1);
	_Static_assert(ENOSPC == 28, "the number above");
	assert_false(work(f->root, f->source, &f->e));
	assert_int_equal(f->e.code, ERR_NO_SPACE);
	unsetenv("ASSAY_FAILPOINT");
	assert_true(work(f->root, f->source, &f->e));
}

static void test_file_size_limit(void **state)
{
	struct fixture *f = *state;
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit old, limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 65536;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	struct store *s = store_open(f->root, &f->e);
	char *big = calloc(1, 200000), digest[SHA256_HEX];
	bool ok = store_publish(s, big, 200000, digest, &f->e);
	bool small_ok = store_publish(s, big, 60000, digest, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_false(ok);
	assert_int_equal(f->e.code, ERR_IO);
	assert_true(small_ok);
	free(big);
	store_close(s);
	check(f);
}

/* A real full file system, where this process may mount one. */
static void test_full_disk(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(mkdir(f->root, 0755), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		    mount("tmpfs", f->root, "tmpfs", 0, "size=256k,mode=755") != 0)
			_exit(77);
		struct store *s = store_open(f->root, &f->e);
		char block[30000], digest[SHA256_HEX];
		int i = 0;
		for (; s && i < 100; i++) {
			memset(block, i, sizeof(block));
			if (!store_publish(s, block, sizeof(block), digest, &f->e))
				break;
		}
		if (!s || i < 2 || i == 100 || f->e.code != ERR_NO_SPACE)
			_exit(1);
		struct store_check c;
		if (!store_verify(s, &f->a, &c, &f->e) || c.n_damage || c.n_leftovers || c.n_objects != (uint64_t)i)
			_exit(2);
		struct tree t;
		if (!file_write(path_join(&f->a, f->source, "big"), block, sizeof(block), &f->e) ||
		    tree_freeze(s, f->source, NULL, &t, &f->e) || f->e.code != ERR_NO_SPACE)
			_exit(3);
		if (!store_verify(s, &f->a, &c, &f->e) || c.n_damage || c.n_leftovers)
			_exit(4);
		_exit(0);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skipped: no right to mount a tmpfs here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kill, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kill_same_store, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failing_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_file_size_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
