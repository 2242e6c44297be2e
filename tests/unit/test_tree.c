/* Trees: the published digest, limits, refusals, materialising, hostile manifests. */
#include "store/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct fixture {
	char folder[32];
	char *source;
	struct arena a;
	struct store *s;
	struct err e;
};

static void put(struct fixture *f, const char *path, const char *text, mode_t mode)
{
	char *full = path_join(&f->a, f->source, path);
	assert_true(file_write_str(full, str_from(text), &f->e));
	assert_int_equal(chmod(full, mode), 0);
}

static void make(struct fixture *f, const char *path, mode_t mode)
{
	char *full = path_join(&f->a, f->source, path);
	assert_int_equal(mkdir(full, 0700), 0);
	assert_int_equal(chmod(full, mode), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	snprintf(f->folder, sizeof(f->folder), "/tmp/assay-test-tree.XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	arena_init(&f->a);
	f->source = path_join(&f->a, f->folder, "source");
	f->s = store_open(path_join(&f->a, f->folder, "store"), &f->e);
	*state = f;
	make(f, "", 0755);
	put(f, "a.cu", "abc", 0644);
	make(f, "b", 0755);
	make(f, "b/empty", 0700);
	put(f, "b/run.sh", "", 0755);
	put(f, "b/\xc3\xa9.txt", "hi", 0600);
	put(f, "b.txt", "hi", 0444);
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

/* Digests by Python: sha256(json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)). */
static void test_published_digest(void **state)
{
	struct fixture *f = *state;
	struct tree t, dry;
	assert_true(tree_freeze(f->s, f->source, NULL, &t, &f->e));
	assert_string_equal(t.digest, "ee247f32959dae208435a460c4fe9c910fbfa388cb7928eb8a317228bf2f0ad9");
	assert_int_equal(t.n_files, 4);
	assert_int_equal(t.n_bytes, 7);
	assert_true(tree_digest(f->source, NULL, &dry, &f->e));
	assert_string_equal(t.digest, dry.digest);
	assert_true(tree_freeze(f->s, path_join(&f->a, f->source, "a.cu"), NULL, &t, &f->e));
	assert_string_equal(t.digest, "cf92e77672f5ef7b0c4712106a1805ef14f6fbe5903f0a01344176e4fb0770bd");
	struct store_check c;
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_damage, 0);
	assert_int_equal(c.n_leftovers, 0);
	assert_int_equal(c.n_objects, 3 + 2);
}

static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	struct tree t, back;
	make(f, "closed", 0500);
	char *out = path_join(&f->a, f->folder, "out/put");
	assert_true(tree_freeze(f->s, f->source, NULL, &t, &f->e));
	assert_true(tree_materialise(f->s, t.digest, out, &f->e));
	assert_true(tree_digest(out, NULL, &back, &f->e));
	assert_string_equal(t.digest, back.digest);
	assert_false(tree_materialise(f->s, t.digest, out, &f->e)); /* not empty any more */
	assert_int_equal(f->e.code, ERR_INPUT);
	/* set-id bits are dropped, not part of the identity */
	assert_int_equal(chmod(path_join(&f->a, f->source, "b"), 02755), 0);
	assert_true(tree_digest(f->source, NULL, &back, &f->e));
	assert_string_equal(t.digest, back.digest);
	/* other permissions are another tree */
	assert_int_equal(chmod(path_join(&f->a, f->source, "b"), 0750), 0);
	assert_true(tree_digest(f->source, NULL, &back, &f->e));
	assert_string_not_equal(t.digest, back.digest);
}

static void test_large_files(void **state)
{
	struct fixture *f = *state;
	struct tree t, back;
	size_t n = (2u << 20) + 5;
	char *bytes = malloc(n);
	memset(bytes, 'x', n);
	assert_true(file_write(path_join(&f->a, f->source, "one"), bytes, n, &f->e));
	assert_true(file_write(path_join(&f->a, f->source, "two"), bytes, n, &f->e)); /* the same object twice */
	assert_true(file_write(path_join(&f->a, f->source, "edge"), bytes, 1u << 20, &f->e));
	assert_true(file_write(path_join(&f->a, f->source, "edge1"), bytes, (1u << 20) + 1, &f->e));
	for (int i = 0; i < 20; i++)
		put(f, arena_printf(&f->a, "small%d", i), arena_printf(&f->a, "%d", i), 0644);
	free(bytes);
	char *out = path_join(&f->a, f->folder, "out");
	assert_true(tree_freeze(f->s, f->source, NULL, &t, &f->e));
	assert_true(tree_materialise(f->s, t.digest, out, &f->e));
	assert_true(tree_digest(out, NULL, &back, &f->e));
	assert_string_equal(t.digest, back.digest);
	struct store_check c;
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_damage, 0);
	assert_int_equal(c.n_leftovers, 0);
}

static void refused(struct fixture *f, const char *what, const char *where)
{
	struct tree t;
	struct store_check c;
	assert_false(tree_freeze(f->s, f->source, NULL, &t, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	assert_non_null(strstr(f->e.text, what));
	assert_non_null(strstr(f->e.text, where));
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_damage, 0);
	assert_int_equal(c.n_leftovers, 0);
}

static void test_refusals(void **state)
{
	struct fixture *f = *state;
	char *odd = path_join(&f->a, f->source, "b/odd");
	assert_int_equal(symlink("run.sh", odd), 0);
	refused(f, "symbolic link", "b/odd");
	assert_int_equal(unlink(odd), 0);
	assert_int_equal(mkfifo(odd, 0600), 0);
	refused(f, "no file and no folder", "b/odd");
	assert_int_equal(unlink(odd), 0);
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	assert_true(strlen(odd) < sizeof(at.sun_path));
	memcpy(at.sun_path, odd, strlen(odd) + 1);
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(s, (struct sockaddr *)&at, sizeof(at)), 0);
	refused(f, "socket", "b/odd");
	close(s);
	assert_int_equal(unlink(odd), 0);
	odd = path_join(&f->a, f->source, "b/\xff.txt");
	assert_true(file_write_str(odd, STR("x"), &f->e));
	refused(f, "not UTF-8", "b/");
	assert_int_equal(unlink(odd), 0);
	struct tree t;
	assert_false(tree_freeze(f->s, path_join(&f->a, f->folder, "absent"), NULL, &t, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	assert_false(tree_freeze(f->s, "/dev/null", NULL, &t, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
}

static void test_limits(void **state)
{
	struct fixture *f = *state;
	struct tree t;
	struct tree_limits files = {.max_files = 3}, bytes = {.max_bytes = 6}, depth = {.max_depth = 1};
	assert_false(tree_freeze(f->s, f->source, &files, &t, &f->e));
	assert_non_null(strstr(f->e.text, "allowed 3 files"));
	assert_false(tree_freeze(f->s, f->source, &bytes, &t, &f->e));
	assert_non_null(strstr(f->e.text, "allowed 6 bytes"));
	assert_false(tree_freeze(f->s, f->source, &depth, &t, &f->e));
	assert_non_null(strstr(f->e.text, "b/empty: more than 1 folders deep"));
	files.max_files = 4;
	bytes.max_bytes = 7;
	depth.max_depth = 2;
	assert_true(tree_freeze(f->s, f->source, &files, &t, &f->e));
	assert_true(tree_freeze(f->s, f->source, &bytes, &t, &f->e));
	assert_true(tree_freeze(f->s, f->source, &depth, &t, &f->e));
	static const char *const names[] = {"b", NULL};
	struct tree_limits ignore = {.ignore = names};
	assert_true(tree_freeze(f->s, f->source, &ignore, &t, &f->e));
	assert_int_equal(t.n_files, 2);
}

static void test_missing_and_damaged(void **state)
{
	struct fixture *f = *state;
	struct tree t;
	struct store_check c;
	char digest[SHA256_HEX];
	sha256_of("hi", 2, digest);
	assert_true(tree_freeze(f->s, f->source, NULL, &t, &f->e));
	assert_int_equal(unlink(store_path(&f->a, f->s, digest)), 0);
	assert_false(tree_materialise(f->s, t.digest, path_join(&f->a, f->folder, "out"), &f->e));
	assert_true(store_verify(f->s, &f->a, &c, &f->e));
	assert_int_equal(c.n_damage, 2); /* two files of the tree have these bytes */
	assert_non_null(strstr(c.damage[0].what, "missing"));
	assert_non_null(strstr(c.damage[0].what, t.digest));
	struct tree_entry *entries;
	size_t n;
	assert_false(tree_read(f->s, &f->a, digest, &entries, &n, &f->e)); /* an object is no tree */
	assert_int_equal(f->e.code, ERR_INPUT);
}

#define HEAD "{\"entries\":["
#define TAIL(files, bytes)                                                                                             \
	"],\"file_count\":" files ",\"format_version\":\"" TREE_FORMAT                                                 \
	"\",\"source_kind\":\"directory\",\"total_bytes\":" bytes "}"
#define FILE_OF(path) "{\"kind\":\"file\",\"mode\":420,\"path\":\"" path "\",\"sha256\":\"" ABC "\",\"size_bytes\":3}"
#define FOLDER_OF(path) "{\"kind\":\"directory\",\"mode\":493,\"path\":\"" path "\"}"
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static void test_hostile_manifests(void **state)
{
	struct fixture *f = *state;
	struct tree_entry *entries;
	size_t n;
	const char *good = HEAD FOLDER_OF("d") "," FILE_OF("d/x") TAIL("1", "3");
	assert_true(tree_parse(&f->a, "m", str_from(good), &entries, &n, &f->e));
	assert_int_equal(n, 2);
	assert_true(entries[0].is_folder && !entries[1].is_folder);
	const char *bad[] = {
		"",
		"[]",
		"{}",
		HEAD FILE_OF("../x") TAIL("1", "3"),
		HEAD FILE_OF("/etc/passwd") TAIL("1", "3"),
		HEAD FILE_OF("d/x") TAIL("1", "3"), /* no folder before it */
		HEAD FILE_OF("d") "," FILE_OF("d/x") TAIL("2", "6"),
		HEAD FILE_OF("x") "," FILE_OF("x") TAIL("2", "6"),
		HEAD FILE_OF("x\\u0000y") TAIL("1", "3"),
		HEAD FILE_OF("d//x") TAIL("1", "3"),
		HEAD FILE_OF("./x") TAIL("1", "3"),
		HEAD FILE_OF("") TAIL("1", "3"),
		HEAD FILE_OF("x") TAIL("2", "3"),
		HEAD FILE_OF("x") TAIL("1", "4"),
		HEAD "{\"kind\":\"file\",\"mode\":4095,\"path\":\"x\",\"sha256\":\"" ABC
		     "\",\"size_bytes\":3}" TAIL("1", "3"),
		HEAD "{\"kind\":\"file\",\"mode\":420,\"path\":\"x\",\"sha256\":\"../../x\",\"size_bytes\":3}" TAIL(
			"1", "3"),
		HEAD "{\"kind\":\"file\",\"mode\":420,\"path\":\"x\",\"sha256\":\"" ABC
		     "\",\"size_bytes\":-1}" TAIL("1", "-1"),
		HEAD "{\"kind\":\"link\",\"mode\":420,\"path\":\"x\",\"sha256\":\"" ABC
		     "\",\"size_bytes\":3}" TAIL("1", "3"),
		HEAD "{\"kind\":\"file\",\"mode\":420,\"path\":\"x\",\"sha256\":\"" ABC
		     "\",\"size_bytes\":3,\"more\":1}" TAIL("1", "3"),
		HEAD "7" TAIL("0", "0"),
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (tree_parse(&f->a, "m", str_from(bad[i]), &entries, &n, &f->e))
			fail_msg("accepted: %s", bad[i]);
		assert_int_equal(f->e.code, ERR_INPUT);
	}
}

/* A copy in one pass: the digest is the one without copying, the copy has it too, modes of folders without write permission
 * included; what is hashed is what is written. */
static void test_capture(void **state)
{
	struct fixture *f = *state;
	struct tree want, got, again;
	struct buf manifest, other;
	struct tree_limits few = {.max_files = 2};
	char *to = path_join(&f->a, f->folder, "copy"), *large = malloc(5000001);
	assert_non_null(large);
	for (size_t i = 0; i < 5000001; i++)
		large[i] = (char)(i * 2654435761u >> 13);
	assert_true(file_write(path_join(&f->a, f->source, "b/large"), large, 5000001, &f->e));
	assert_int_equal(chmod(path_join(&f->a, f->source, "b"), 0555), 0);
	buf_init(&manifest);
	buf_init(&other);
	assert_true(tree_manifest(f->source, NULL, &want, &manifest, &f->e));
	struct tree_copy copy = {to, &got, &other};
	assert_false(tree_capture(f->source, NULL, &copy, &f->e)); /* the folder is the caller's to make */
	assert_int_equal(mkdir(to, 0700), 0);
	assert_true(tree_capture(f->source, NULL, &copy, &f->e));
	assert_string_equal(got.digest, want.digest);
	assert_true(str_eq(buf_view(&manifest), buf_view(&other)));
	assert_true(tree_digest(to, NULL, &again, &f->e));
	assert_string_equal(again.digest, want.digest);
	struct str back;
	assert_true(file_read(&f->a, &back, path_join(&f->a, to, "b/large"), 1 << 24, &f->e));
	assert_true(back.n == 5000001 && memcmp(back.p, large, back.n) == 0);
	assert_false(tree_capture(f->source, NULL, &copy, &f->e)); /* nothing is overwritten */
	char *one = path_join(&f->a, f->folder, "one");
	copy = (struct tree_copy){one, &got, NULL};
	assert_int_equal(mkdir(one, 0700), 0);
	assert_true(tree_capture(path_join(&f->a, f->source, "a.cu"), NULL, &copy, &f->e));
	assert_true(tree_digest(path_join(&f->a, one, "a.cu"), NULL, &again, &f->e));
	assert_string_equal(again.digest, got.digest);
	char *third = path_join(&f->a, f->folder, "third");
	copy.to = third;
	assert_int_equal(mkdir(third, 0700), 0);
	assert_false(tree_capture(f->source, &few, &copy, &f->e));
	assert_non_null(strstr(f->e.text, "more than the allowed 2 files"));
	assert_int_equal(chmod(path_join(&f->a, f->source, "b"), 0755), 0);
	assert_int_equal(chmod(path_join(&f->a, to, "b"), 0755), 0);
	buf_release(&manifest);
	buf_release(&other);
	free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_published_digest, setup, teardown),
		cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_large_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing_and_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_manifests, setup, teardown),
		cmocka_unit_test_setup_teardown(test_capture, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
