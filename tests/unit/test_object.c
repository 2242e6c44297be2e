/* Objects and records: publish, read, compare, damage, verify, several writers. */
#include "store/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* sha256 of "abc", FIPS 180-2 */

struct fixture {
	char folder[32];
	struct arena a;
	struct store *s;
	struct err e;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	snprintf(f->folder, sizeof(f->folder), "/tmp/assay-test-obj.XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	arena_init(&f->a);
	f->s = store_open(path_join(&f->a, f->folder, "deep/store"), &f->e);
	*state = f;
	return f->s ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	store_close(f->s);
	bool ok = file_remove_tree(f->folder, &f->e);
	arena_release(&f->a);
	free(f);
	return ok ? 0 : -1;
}

static void overwrite(const char *path, const char *text)
{
	assert_int_equal(chmod(path, 0644), 0);
	int fd = open(path, O_WRONLY | O_TRUNC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void test_publish(void **state)
{
	struct fixture *f = *state;
	char digest[SHA256_HEX];
	assert_true(store_publish(f->s, "abc", 3, digest, &f->e));
	assert_string_equal(digest, ABC);
	assert_true(store_has(f->s, ABC));
	char *path = store_path(&f->a, f->s, ABC);
	assert_true(
		str_ends(str_from(path), "/objects/ba/7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
	struct stat st, again;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0444);
	assert_int_equal(st.st_nlink, 1);
	assert_true(store_publish(f->s, "abc", 3, NULL, &f->e));
	assert_int_equal(stat(path, &again), 0);
	assert_int_equal(st.st_ino, again.st_ino); /* not written again */
	struct file_map m;
	assert_true(store_read(f->s, ABC, &m, &f->e));
	assert_true(str_is((struct str){m.p, m.n}, "abc"));
	file_unmap(&m);
	assert_true(store_publish(f->s, "", 0, digest, &f->e)); /* nothing is a thing too */
	assert_true(store_read(f->s, digest, &m, &f->e));
	assert_int_equal(m.n, 0);
	file_unmap(&m);
}

static void test_read_refuses(void **state)
{
	struct fixture *f = *state;
	struct file_map m;
	assert_false(store_read(f->s, ABC, &m, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	const char *bad[] = {"", "abc", "../../etc/passwd",
			     "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD", ABC "0"};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_false(store_read(f->s, bad[i], &m, &f->e));
		assert_int_equal(f->e.code, ERR_INPUT);
		assert_false(store_has(f->s, bad[i]));
	}
	assert_true(store_publish(f->s, "abc", 3, NULL, &f->e));
	char *path = store_path(&f->a, f->s, ABC);
	overwrite(path, "abd");
	assert_false(store_read(f->s, ABC, &m, &f->e));
	assert_int_equal(f->e.code, ERR_CORRUPT);
	assert_non_null(strstr(f->e.text, path));
	/* the damage is not papered over by publishing again, in memory or as a stream */
	assert_false(store_publish(f->s, "abc", 3, NULL, &f->e));
	assert_int_equal(f->e.code, ERR_CORRUPT);
	char *source = path_join(&f->a, f->folder, "source");
	char digest[SHA256_HEX];
	assert_true(file_write_str(source, STR("abc"), &f->e));
	assert_false(store_publish_file(f->s, source, 100, digest, &f->e));
	assert_int_equal(f->e.code, ERR_CORRUPT);
	/* nor by a link to good bytes */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(source, path), 0);
	assert_false(store_read(f->s, ABC, &m, &f->e));
	assert_int_equal(f->e.code, ERR_CORRUPT);
}

static void test_stream(void **state)
{
	struct fixture *f = *state;
	char *source = path_join(&f->a, f->folder, "source"), *copy = path_join(&f->a, f->folder, "copy");
	size_t n = 3 * 1024 * 1024 + 17;
	char *bytes = malloc(n);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i * 7 + i / 4096);
	assert_true(file_write(source, bytes, n, &f->e));
	char want[SHA256_HEX], got[SHA256_HEX];
	sha256_of(bytes, n, want);
	assert_false(store_publish_file(f->s, source, n - 1, got, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	assert_non_null(strstr(f->e.text, source));
	assert_true(store_publish_file(f->s, source, n, got, &f->e));
	assert_string_equal(got, want);
	assert_true(store_export(f->s, got, copy, &f->e));
	struct file_map m;
	assert_true(file_map(&m, copy, &f->e));
	assert_int_equal(m.n, n);
	assert_memory_equal(m.p, bytes, n);
	file_unmap(&m);
	free(bytes);
	/* a pipe */
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "abc", 3), 3);
	close(fds[1]);
	assert_true(store_publish_fd(f->s, fds[0], "a pipe", 10, got, &f->e));
	assert_string_equal(got, ABC);
	close(fds[0]);
	assert_false(store_publish_file(f->s, path_join(&f->a, f->folder, "absent"), 10, got, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	struct store_check c;
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_damage, 0);
	assert_int_equal(c.n_leftovers, 0); /* the refused one left nothing */
	assert_int_equal(c.n_objects, 2);
}

static void test_records(void **state)
{
	struct fixture *f = *state;
	char id[STORE_ID_MAX], other[STORE_ID_MAX];
	size_t n;
	char **list = store_record_list(f->s, &f->a, "trial", &n, &f->e);
	assert_non_null(list);
	assert_int_equal(n, 0);
	struct json *j = json_object(&f->a);
	json_set_f64(j, "median_ns", 15.5);
	json_set_cstr(j, "format", "assay/test-v1");
	assert_true(store_record(f->s, "trial", j, id, &f->e));
	assert_true(str_starts(str_from(id), "trial-"));
	assert_int_equal(strlen(id), 6 + 32);
	assert_true(store_record(f->s, "trial", j, other, &f->e));
	assert_string_equal(id, other);
	struct json *back = store_record_read(f->s, &f->a, id, &f->e);
	assert_non_null(back);
	assert_true(json_f64(back, "median_ns", 0) == 15.5);
	json_set_f64(j, "median_ns", 16);
	assert_true(store_record(f->s, "trial", j, other, &f->e));
	assert_string_not_equal(id, other);
	list = store_record_list(f->s, &f->a, "trial", &n, &f->e);
	assert_int_equal(n, 2);
	assert_true(strcmp(list[0], list[1]) < 0);
	assert_null(list[2]);
	assert_false(store_record(f->s, "../x", j, other, &f->e));
	assert_false(store_record(f->s, "Trial", j, other, &f->e));
	assert_false(store_record(f->s, "trial", json_array(&f->a), other, &f->e));
	const char *bad[] = {"", "trial", "trial-12", "../x-0123456789abcdef0123456789abcdef",
			     "-0123456789abcdef0123456789abcdef"};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_null(store_record_read(f->s, &f->a, bad[i], &f->e));
		assert_int_equal(f->e.code, ERR_INPUT);
	}
	assert_null(store_record_read(f->s, &f->a, "trial-0123456789abcdef0123456789abcdef", &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	overwrite(arena_printf(&f->a, "%s/records/trial/%s.json", store_root(f->s), id), "{}\n");
	assert_null(store_record_read(f->s, &f->a, id, &f->e));
	assert_int_equal(f->e.code, ERR_CORRUPT);
}

static bool is_named(const struct store_check *c, const char *path, const char *what)
{
	for (size_t i = 0; i < c->n_damage; i++) {
		if (strcmp(c->damage[i].path, path) == 0 && strstr(c->damage[i].what, what))
			return true;
	}
	return false;
}

static void test_verify(void **state)
{
	struct fixture *f = *state;
	struct store_check c;
	struct json *j = json_object(&f->a);
	json_set_i64(j, "a", 1);
	char id[STORE_ID_MAX], digest[SHA256_HEX];
	assert_true(store_record(f->s, "trial", j, id, &f->e));
	for (int i = 0; i < 20; i++)
		assert_true(store_publish(f->s, &i, sizeof(i), digest, &f->e));
	assert_true(store_publish(f->s, "abc", 3, NULL, &f->e));
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_damage, 0);
	assert_int_equal(c.n_objects, 21);
	assert_int_equal(c.n_records, 1);
	assert_true(c.n_bytes > 83);
	char *root = arena_strdup(&f->a, store_root(f->s));
	overwrite(store_path(&f->a, f->s, ABC), "abcd");
	overwrite(arena_printf(&f->a, "%s/records/trial/%s.json", root, id), "{\"a\": 2}\n");
	assert_true(file_write_str(path_join(&f->a, root, "objects/ba/foreign"), STR("x"), &f->e));
	assert_true(file_write_str(path_join(&f->a, root, "objects/notes.txt"), STR("x"), &f->e));
	assert_true(file_write_str(path_join(&f->a, root, "objects/.tmp-1-2-3"), STR("x"), &f->e));
	assert_true(file_write_str(path_join(&f->a, root, "records/trial/.tmp-1-2-3"), STR("x"), &f->e));
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_damage, 4);
	assert_int_equal(c.n_leftovers, 2);
	assert_true(is_named(&c, "objects/ba/7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			     "hash to 88d4266f"));
	assert_true(is_named(&c, arena_printf(&f->a, "records/trial/%s.json", id), "damaged"));
	assert_true(is_named(&c, "objects/ba/foreign", "foreign"));
	assert_true(is_named(&c, "objects/notes.txt", "foreign"));
	assert_int_equal(store_sweep(f->s, 3600000000000), 0); /* a writer may still be at it */
	assert_int_equal(store_sweep(f->s, 0), 2);
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_leftovers, 0);
}

/* Several processes publish the same and different objects at once. */
static void test_writers(void **state)
{
	struct fixture *f = *state;
	enum { N = 4, OBJECTS = 40 };
	for (int p = 0; p < N; p++) {
		if (fork() != 0)
			continue;
		struct store *s = store_open(store_root(f->s), &f->e);
		for (int i = 0; s && i < OBJECTS; i++) {
			int value[2] = {i, i % 2 ? p : 0};
			if (!store_publish(s, value, sizeof(value), NULL, &f->e))
				_exit(1);
		}
		_exit(s ? 0 : 2);
	}
	for (int p = 0; p < N; p++) {
		int status;
		wait(&status);
		assert_int_equal(status, 0);
	}
	struct store_check c;
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_damage, 0);
	assert_int_equal(c.n_leftovers, 0);
	assert_int_equal(c.n_objects, OBJECTS / 2 + N * OBJECTS / 2);
}

static void test_open_refuses(void **state)
{
	struct fixture *f = *state;
	char *file = path_join(&f->a, f->folder, "file");
	assert_true(file_write_str(file, STR("x"), &f->e));
	assert_null(store_open(file, &f->e));
	assert_null(store_open(path_join(&f->a, file, "below"), &f->e));
	assert_int_equal(f->e.code, ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_publish, setup, teardown),
		cmocka_unit_test_setup_teardown(test_read_refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stream, setup, teardown),
		cmocka_unit_test_setup_teardown(test_records, setup, teardown),
		cmocka_unit_test_setup_teardown(test_verify, setup, teardown),
		cmocka_unit_test_setup_teardown(test_writers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open_refuses, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
