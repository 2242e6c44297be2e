/* Unit tests of base/file, base/path (declared there) and base/sha256.
 * In: a fresh folder under TMPDIR. Out: cmocka's report.
 * The folder is removed by the code under test and looked at afterwards.
 * Never: leaves its folder. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/beneath.h"
#include "base/clock.h"
#include "base/plain.h"
#include "base/sha256.h"

struct fixture {
	struct arena a;
	struct err e;
	char *dir;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	const char *tmp = getenv("TMPDIR");
	arena_init(&f->a);
	f->dir = arena_printf(&f->a, "%s/assay-test-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
	*state = f;
	return mkdtemp(f->dir) ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int result = file_remove_tree(f->dir, &f->e) && !file_exists(f->dir) ? 0 : -1;
	arena_release(&f->a);
	free(f);
	return result;
}

static char *in(struct fixture *f, const char *name)
{
	return path_join(&f->a, f->dir, name);
}

static void put(struct fixture *f, const char *path, const char *text)
{
	if (!file_write_str(path, str_from(text), &f->e))
		fail_msg("%s", f->e.text);
}

static void write_and_read(void **state)
{
	struct fixture *f = *state;
	struct str got;
	char *path = in(f, "a.txt");
	assert_true(file_write(path, "one\0two", 7, &f->e));
	assert_true(file_read(&f->a, &got, path, 7, &f->e));
	assert_int_equal(got.n, 7);
	assert_memory_equal(got.p, "one\0two", 8);
	assert_false(file_read(&f->a, &got, path, 6, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	assert_non_null(strstr(f->e.text, path));
	put(f, path, "");
	assert_int_equal(file_size(path), 0);
	assert_true(file_read(&f->a, &got, path, 0, &f->e) && got.n == 0);
	size_t n = 0;
	char **names = file_list(&f->a, f->dir, &n, &f->e); /* no temporary is left */
	assert_true(n == 1 && strcmp(names[0], "a.txt") == 0 && names[1] == NULL);
}

static void mapping(void **state)
{
	struct fixture *f = *state;
	struct file_map m;
	put(f, in(f, "m"), "mapped");
	assert_true(file_map(&m, in(f, "m"), &f->e));
	assert_true(m.n == 6 && !m.is_heap && memcmp(m.p, "mapped", 6) == 0);
	file_unmap(&m);
	assert_null(m.p);
	file_unmap(&m);
	assert_true(file_map(&m, "/proc/self/status", &f->e)); /* size 0 by stat */
	assert_true(m.n > 0 && m.is_heap);
	file_unmap(&m);
	put(f, in(f, "empty"), "");
	assert_true(file_map(&m, in(f, "empty"), &f->e));
	assert_int_equal(m.n, 0);
	file_unmap(&m);
}

static void refusals(void **state)
{
	struct fixture *f = *state;
	struct file_map m;
	struct str got;
	assert_false(file_map(&m, in(f, "absent"), &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	assert_non_null(strstr(f->e.text, "absent: "));
	assert_false(file_map(&m, f->dir, &f->e));
	assert_non_null(strstr(f->e.text, "folder"));
	assert_false(file_write_str(in(f, "no/such/x"), STR("x"), &f->e));
	assert_int_equal(f->e.code, ERR_IO);
	assert_false(file_write_str("/dev/full/x", STR("x"), &f->e));
	assert_false(file_read(&f->a, &got, "/dev/zero", 1000, &f->e)); /* endless */
	assert_int_equal(f->e.code, ERR_INPUT);
	assert_non_null(strstr(f->e.text, "device"));
	assert_false(file_map(&m, "/dev/zero", &f->e));
	assert_non_null(strstr(f->e.text, "device"));
	assert_int_equal(mkfifo(in(f, "pipe"), 0600), 0);
	assert_int_equal(plain_open(in(f, "pipe"), &f->e), -1); /* nobody writes: it does not wait */
	assert_non_null(strstr(f->e.text, "pipe: is a pipe"));
	assert_null(file_list(&f->a, in(f, "absent"), NULL, &f->e));
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_false(file_write_all(fd, "x", 1, "target", &f->e));
	assert_int_equal(f->e.code, ERR_NO_SPACE);
	assert_non_null(strstr(f->e.text, "target"));
	close(fd);
}

struct shrinker {
	int fd;
	atomic_bool stop;
	atomic_int n_done;
	bool failed;
};

static void *shrink(void *arg)
{
	struct shrinker *s = arg;
	while (!atomic_load(&s->stop) && !s->failed) {
		s->failed = ftruncate(s->fd, 0) != 0 || ftruncate(s->fd, 1 << 20) != 0;
		atomic_fetch_add(&s->n_done, 1);
		for (int i = 0; i < 20 && !atomic_load(&s->stop); i++)
			sched_yield();
	}
	return NULL;
}

/* A file that shrinks while it is read must not end the program with SIGBUS. */
static void shrinking_file(void **state)
{
	struct fixture *f = *state;
	struct shrinker s = {.fd = file_memfd("shrinks", 0, &f->e)};
	const char *path = arena_printf(&f->a, "/proc/self/fd/%d", s.fd);
	pthread_t thread;
	struct str got;
	assert_true(s.fd >= 0);
	assert_int_equal(pthread_create(&thread, NULL, shrink, &s), 0);
	for (int i = 0; i < 300 || (atomic_load(&s.n_done) < 500 && i < 100000); i++) {
		struct arena_mark m = arena_mark(&f->a);
		assert_true(file_read(&f->a, &got, path, (size_t)2 << 20, &f->e));
		assert_true(got.n <= 1 << 20);
		arena_reset(&f->a, m);
	}
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	assert_false(s.failed);
	close(s.fd);
}

static void modes_and_copies(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	struct str got;
	put(f, in(f, "tool"), "#!/bin/sh\n");
	assert_int_equal(stat(in(f, "tool"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_false(file_is_executable(in(f, "tool")));
	assert_int_equal(chmod(in(f, "tool"), 0750), 0);
	assert_true(file_is_executable(in(f, "tool")));
	assert_true(file_copy(in(f, "tool"), in(f, "copy"), &f->e));
	assert_int_equal(stat(in(f, "copy"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	assert_true(file_read(&f->a, &got, in(f, "copy"), 100, &f->e) && str_is(got, "#!/bin/sh\n"));
	assert_false(file_copy(in(f, "absent"), in(f, "copy2"), &f->e));
	assert_false(file_exists(in(f, "copy2")));
	assert_true(file_mtime_ns(in(f, "copy")) > INT64_C(1600000000000000000));
	assert_int_equal(file_mtime_ns(in(f, "absent")), -1);
	assert_int_equal(file_size(in(f, "absent")), -1);
	assert_true(file_is_dir(f->dir) && !file_is_dir(in(f, "tool")) && !file_is_executable(f->dir));
}

/* What is made has the mode that the umask leaves, as of any other program; one that is asked for by name has that. */
static void modes_by_umask(void **state)
{
	static const struct {
		mode_t mask, plain, copy;
	} cases[] = {{022, 0644, 0755}, {077, 0600, 0700}, {002, 0664, 0775}, {0777, 0, 0}};
	struct fixture *f = *state;
	struct stat st;
	put(f, in(f, "from"), "x");
	assert_int_equal(chmod(in(f, "from"), 0777), 0);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		mode_t old = umask(cases[i].mask);
		put(f, in(f, "plain"), "y");
		assert_true(file_write_str(in(f, "text"), STR("z"), &f->e));
		assert_true(file_copy(in(f, "from"), in(f, "copy"), &f->e));
		assert_true(file_write_mode(in(f, "exact"), STR("z"), 0640, &f->e));
		umask(old);
		assert_true(stat(in(f, "plain"), &st) == 0 && (st.st_mode & 07777) == cases[i].plain);
		assert_true(stat(in(f, "text"), &st) == 0 && (st.st_mode & 07777) == cases[i].plain);
		assert_true(stat(in(f, "copy"), &st) == 0 && (st.st_mode & 07777) == cases[i].copy);
		assert_true(stat(in(f, "exact"), &st) == 0 && (st.st_mode & 07777) == 0640);
	}
}

/* The old file stays whole for who has it open; the new one appears at once. */
static void replaces(void **state)
{
	struct fixture *f = *state;
	char text[8] = {0};
	put(f, in(f, "r"), "old");
	int fd = open(in(f, "r"), O_RDONLY | O_CLOEXEC);
	put(f, in(f, "r"), "new");
	assert_int_equal(read(fd, text, 7), 3);
	assert_string_equal(text, "old");
	close(fd);
	assert_int_equal(mkdir(in(f, "d"), 0755), 0);
	assert_false(file_write_str(in(f, "d"), STR("x"), &f->e)); /* a folder is not replaced */
	assert_true(file_is_dir(in(f, "d")));
	size_t n = 0;
	assert_non_null(file_list(&f->a, f->dir, &n, &f->e));
	assert_int_equal(n, 2);
}

static void folders(void **state)
{
	struct fixture *f = *state;
	assert_true(file_mkdirs(in(f, "a/b//c/"), 0755, &f->e));
	assert_true(file_is_dir(in(f, "a/b/c")));
	assert_true(file_mkdirs(in(f, "a/b"), 0755, &f->e));
	put(f, in(f, "file"), "x");
	assert_false(file_mkdirs(in(f, "file"), 0755, &f->e));
	assert_non_null(strstr(f->e.text, "file"));
	assert_false(file_mkdirs(in(f, "file/sub"), 0755, &f->e));
	assert_false(file_mkdirs("", 0755, &f->e));
	put(f, in(f, "a/2"), "");
	put(f, in(f, "a/10"), "");
	put(f, in(f, "a/.hidden"), "");
	size_t n = 0;
	char **names = file_list(&f->a, in(f, "a"), &n, &f->e);
	static const char *const want[] = {".hidden", "10", "2", "b"};
	assert_int_equal(n, COUNT_OF(want));
	for (size_t i = 0; i < n; i++)
		assert_string_equal(names[i], want[i]);
	assert_true(file_fsync_dir(f->dir, &f->e));
	assert_false(file_fsync_dir(in(f, "absent"), &f->e));
}

static void removing(void **state)
{
	struct fixture *f = *state;
	assert_true(file_mkdirs(in(f, "gone/deep/er"), 0755, &f->e));
	put(f, in(f, "gone/deep/file"), "x");
	put(f, in(f, "kept"), "x");
	assert_true(file_mkdirs(in(f, "kept_dir"), 0755, &f->e));
	put(f, in(f, "kept_dir/inside"), "x");
	assert_int_equal(symlink("../kept_dir", in(f, "gone/link")), 0);
	assert_int_equal(symlink("../kept", in(f, "gone/link2")), 0);
	assert_int_equal(symlink("nowhere", in(f, "gone/dangling")), 0);
	assert_true(file_remove_tree(in(f, "gone"), &f->e));
	assert_false(file_exists(in(f, "gone")));
	assert_true(file_exists(in(f, "kept")) && file_exists(in(f, "kept_dir/inside")));
	assert_true(file_remove_tree(in(f, "gone"), &f->e)); /* absent is fine */
	assert_true(file_remove_tree(in(f, "kept"), &f->e)); /* a file too */
	assert_int_equal(symlink("kept_dir", in(f, "top")), 0);
	assert_true(file_remove_tree(in(f, "top"), &f->e)); /* the link, not what it names */
	assert_true(file_exists(in(f, "kept_dir/inside")));
}

static void paths(void **state)
{
	struct fixture *f = *state;
	struct arena *a = &f->a;
	char cwd[4096];
	assert_string_equal(path_join(a, "a", "b"), "a/b");
	assert_string_equal(path_join(a, "a/", "b"), "a/b");
	assert_string_equal(path_join(a, "/", "b"), "/b");
	assert_string_equal(path_join(a, "a", "/b"), "/b");
	assert_string_equal(path_join(a, "", "b"), "b");
	assert_string_equal(path_dir(a, "a/b/c.cu"), "a/b");
	assert_string_equal(path_dir(a, "c.cu"), ".");
	assert_string_equal(path_dir(a, "/c.cu"), "/");
	assert_string_equal(path_base("a/b/c.cu"), "c.cu");
	assert_string_equal(path_stem(a, "a.d/c.tar.gz"), "c.tar");
	assert_string_equal(path_stem(a, "a.d/plain"), "plain");
	assert_string_equal(path_stem(a, ".hidden"), ".hidden");
	assert_string_equal(path_ext("a.d/c.cu"), ".cu");
	assert_string_equal(path_ext("a.d/plain"), "");
	assert_string_equal(path_ext(".hidden"), "");
	assert_non_null(getcwd(cwd, sizeof cwd));
	assert_string_equal(path_absolute(a, "./x"), path_join(a, cwd, "x"));
	assert_string_equal(path_absolute(a, "x"), path_join(a, cwd, "x"));
	assert_string_equal(path_absolute(a, "/x"), "/x");
	put(f, in(f, "real"), "x");
	assert_int_equal(symlink("real", in(f, "alias")), 0);
	assert_string_equal(path_base(path_real(a, in(f, "alias"))), "real");
	assert_null(path_real(a, in(f, "absent")));
}

static void which(void **state)
{
	struct fixture *f = *state;
	struct arena *a = &f->a;
	char *old = arena_strdup(a, getenv("PATH"));
	assert_true(file_mkdirs(in(f, "one"), 0755, &f->e) && file_mkdirs(in(f, "two/assay-tool"), 0755, &f->e));
	put(f, in(f, "one/assay-tool"), "");
	put(f, in(f, "assay-tool"), "");
	setenv("PATH", arena_printf(a, "%s:%s", in(f, "two"), in(f, "one")), 1);
	assert_null(path_which(a, "assay-tool", NULL)); /* a folder and a file without x */
	assert_int_equal(chmod(in(f, "one/assay-tool"), 0755), 0);
	assert_int_equal(chmod(in(f, "assay-tool"), 0755), 0);
	assert_string_equal(path_which(a, "assay-tool", f->dir), in(f, "one/assay-tool"));
	setenv("PATH", in(f, "two"), 1);
	assert_string_equal(path_which(a, "assay-tool", arena_printf(a, "/nonexistent:%s", f->dir)),
			    in(f, "assay-tool"));
	assert_string_equal(path_which(a, in(f, "assay-tool"), NULL), in(f, "assay-tool"));
	assert_null(path_which(a, in(f, "two/assay-tool"), NULL));
	unsetenv("PATH");
	assert_null(path_which(a, "assay-tool", NULL));
	setenv("PATH", old, 1);
}

static void memory_files(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	int fd = file_memfd("x", 12345, &f->e);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 12345);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	assert_int_equal(file_memfd("x", UINT64_MAX, &f->e), -1);
	assert_int_equal(f->e.code, ERR_SYSTEM);
}

static void digests(void **state)
{
	struct fixture *f = *state;
	char hex[SHA256_HEX], again[SHA256_HEX], sha1[41];
	struct sha256 s;
	/* FIPS 180-4 examples */
	sha256_of("abc", 3, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_of("", 0, hex);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha1_of("abc", 3, sha1);
	assert_string_equal(sha1, "a9993e364706816aba3e25717850c26c9cd0d89d");
	size_t n = 300000;
	char *big = arena_alloc(&f->a, n);
	memset(big, 'b', n);
	sha256_of(big, n, hex);
	assert_true(file_write(in(f, "big"), big, n, &f->e));
	assert_true(sha256_file(in(f, "big"), again, &f->e));
	assert_string_equal(hex, again);
	assert_false(sha256_file(in(f, "absent"), again, &f->e));
	sha256_init(&s); /* in pieces */
	for (size_t i = 0; i < n; i += 1000)
		sha256_add(&s, big + i, 1000);
	sha256_hex(&s, again);
	assert_string_equal(hex, again);
	sha256_init(&s); /* fields do not run together */
	sha256_str(&s, STR("ab"));
	sha256_str(&s, STR("c"));
	sha256_hex(&s, hex);
	sha256_init(&s);
	sha256_str(&s, STR("a"));
	sha256_str(&s, STR("bc"));
	sha256_hex(&s, again);
	assert_string_not_equal(hex, again);
	sha256_init(&s);
	sha256_add(&s, "\2\0\0\0\0\0\0\0ab\1\0\0\0\0\0\0\0c", 19);
	sha256_hex(&s, again);
	assert_string_equal(hex, again);
}

static void time_stamps(void **state)
{
	(void)state;
	char compact[17], iso[25];
	int64_t a = clock_ns(), wall = clock_unix_ns();
	clock_sleep_ns(1000);
	assert_true(clock_ns() - a >= 1000);
	assert_true(wall > INT64_C(1600000000000000000));
	clock_utc_compact(compact);
	clock_utc_iso(iso);
	assert_int_equal(strlen(compact), 16);
	assert_int_equal(strlen(iso), 24);
	assert_true(compact[8] == 'T' && compact[15] == 'Z' && iso[10] == 'T' && iso[19] == '.' && iso[23] == 'Z');
	assert_memory_equal(compact, iso, 4);
}

/* Paths below a folder: what a link leads to is not below it. */
static void beneath(void **state)
{
	struct fixture *f = *state;
	struct str got;
	const char *root = in(f, "root");
	assert_true(file_mkdirs(in(f, "root/a/b"), 0700, &f->e));
	assert_true(file_mkdirs(in(f, "other"), 0700, &f->e));
	assert_true(file_write_str(in(f, "root/a/b/x"), STR("here"), &f->e));
	assert_true(file_write_str(in(f, "other/x"), STR("there"), &f->e));
	assert_int_equal(symlink(in(f, "other"), in(f, "root/a/link")), 0);
	assert_int_equal(symlink(in(f, "other/x"), in(f, "root/a/leaf")), 0);
	assert_int_equal(mkfifo(in(f, "root/a/pipe"), 0600), 0);
	int fd = beneath_open(root, "a/b/x", &f->e);
	assert_true(fd >= 0 && plain_read(&f->a, &got, fd, "x", 100, &f->e));
	assert_true(str_is(got, "here"));
	close(fd);
	static const char *const refused[] = {"a/link/x", "a/leaf", "../other/x", "a/../../other/x", "a/pipe",
					      "a/b",      "a/none", "",           "/etc/passwd",     "a//b/x"};
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		f->e.text[0] = 0;
		assert_int_equal(beneath_open(root, refused[i], &f->e), -1);
		assert_true(f->e.text[0] != 0);
	}
	fd = beneath_folder(root, "new/er", &f->e);
	assert_true(fd >= 0 && file_is_dir(in(f, "root/new/er")));
	close(fd);
	assert_int_equal(beneath_folder(root, "a/link/new", &f->e), -1);
	assert_non_null(strstr(f->e.text, "\"link\" is a symbolic link"));
	assert_false(file_exists(in(f, "other/new")));
	assert_int_equal(beneath_folder(root, "a/b/x", &f->e), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(write_and_read), TEST(mapping),      TEST(refusals), TEST(shrinking_file), TEST(modes_and_copies),
		TEST(modes_by_umask), TEST(replaces),     TEST(folders),  TEST(removing),       TEST(paths),
		TEST(which),          TEST(memory_files), TEST(digests),  TEST(time_stamps),    TEST(beneath),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
