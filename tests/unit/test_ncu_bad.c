/* Broken and strange files: each gives one clear line, or its whole results and the place of the damage.
 * In: files made here from a small report.
 * Out: cmocka's verdict.
 * Never: accepts a crash, or a message without a place. */
#include "ncu_data.h"

#include <stdio.h>
#include <string.h>

#include "read/ncu/ncu.h"

static struct arena arena;
static struct str good; /* six results of two processes */

static int setup(void **state)
{
	(void)state;
	arena_init(&arena);
	good = data_read(&arena, "tests/data/ncu/two.ncu-repz");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct str changed(size_t at, const char *bytes, size_t n)
{
	char *p = arena_strndup(&arena, good.p, good.n);
	memcpy(p + at, bytes, n);
	return (struct str){p, good.n};
}

/* Nothing can be read: the message holds `what` and an offset. */
static void refused(struct str bytes, const char *what)
{
	struct ncu_report r;
	struct err e = {0};
	if (ncu_open_bytes(&r, "x.ncu-rep", bytes, &e))
		fail_msg("accepted; expected: %s", what);
	if (!strstr(e.text, what) || !strstr(e.text, "offset") || strchr(e.text, '\n'))
		fail_msg("\"%s\" does not say \"%s\"", e.text, what);
	ncu_release(&r);
}

/* Whole results are kept and the damage is placed. */
static void kept(struct str bytes, size_t n_results, size_t offset, const char *what)
{
	struct ncu_report r;
	struct err e = {0};
	if (!ncu_open_bytes(&r, "x.ncu-rep", bytes, &e))
		fail_msg("%s", e.text);
	assert_true(r.damage.is_damaged);
	assert_int_equal(r.n_results, n_results);
	if (offset != SIZE_MAX)
		assert_int_equal(r.damage.offset, offset);
	if (!strstr(r.damage.reason, what))
		fail_msg("\"%s\" does not say \"%s\"", r.damage.reason, what);
	for (size_t i = 0; i < r.n_results; i++)
		assert_non_null(ncu_metric(&r, &r.results[i], "gpu__time_duration.sum"));
	ncu_release(&r);
}

static void test_not_a_report(void **state)
{
	char junk[512];
	(void)state;
	memset(junk, 0xff, sizeof(junk));
	memcpy(junk, "NVR", 4); /* the magic of another program's maps too */
	refused((struct str){NULL, 0}, "empty");
	refused(STR("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), "Git LFS");
	refused(STR("<!DOCTYPE html><html></html>"), "HTML");
	refused(STR("<html><body>404</body></html>"), "HTML");
	refused(STR("SQLite format 3\0 and more"), "SQLite");
	refused(STR("\x1f\x8b\x08 gzip"), "gzip");
	refused(STR("\x7f"
		    "ELF\2\1\1"),
		"ELF");
	refused(STR("hello, world\n"), "no Nsight Compute report");
	refused((struct str){junk, sizeof(junk)}, "NVR header");
	refused(str_sub(good, 0, 5), "NVR header");
}

static void test_container(void **state)
{
	(void)state;
	refused(str_sub(good, 0, 10), "ends behind its header");
	refused(str_sub(good, 0, 120), "inside a block header");
	refused(changed(9, "\x09", 1), "container version 9");
	refused(changed(8, "\xff\xff", 2), "no Nsight Compute header");
	refused(changed(10, "\xff\xff\xff\x7f", 4), "no report has such a one");
	refused(changed(14, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11), "a block header does not parse");
}

static void test_cut(void **state)
{
	char *more = arena_alloc(&arena, good.n + 3);
	(void)state;
	kept(str_sub(good, 0, good.n - 1), 5, good.n - 1, "ends inside a block");
	kept(str_sub(good, 0, good.n / 2), 2, good.n / 2, "ends inside a block");
	memcpy(more, good.p, good.n);
	memcpy(more + good.n, "abc", 3);
	kept((struct str){more, good.n + 3}, 6, good.n, "length of a block header");
	/* every cut is answered: with an error or with whole results */
	for (size_t n = 0; n < good.n; n += 997) {
		struct ncu_report r;
		struct err e = {0};
		if (ncu_open_bytes(&r, "x", str_sub(good, 0, n), &e))
			assert_true(r.damage.is_damaged && r.n_results > 0);
		else
			assert_true(*e.text);
		ncu_release(&r);
	}
}

static size_t find(const char *what)
{
	size_t at = str_find(good, str_from(what));
	assert_true(at != SIZE_MAX);
	return at;
}

/* A report of one result of `kind_field` (2 kernel, 7 range) with the string table {"a", "b"}. */
static struct str one_result(unsigned kind_field, const char *body, size_t n)
{
	char *p = arena_alloc(&arena, 64 + n);
	const char head[] = {'N', 'V', 'R', 0, 2, 0, 0, 0, 8, 7};
	char block[] = {12,           0, 0, 0, (char)(kind_field << 3), 1, 0x22, 6, 0x0a, 1, 'a', 0x0a, 1, 'b', 0x28,
			(char)(4 + n)};
	block[0] = sizeof(block) - 4;
	size_t at = 0;
	memcpy(p, head, sizeof(head));
	at += sizeof(head);
	memcpy(p + at, block, sizeof(block));
	at += sizeof(block);
	p[at] = (char)n;
	memcpy(p + at + 4, body, n);
	return (struct str){p, at + 4 + n};
}

static void test_inside(void **state)
{
	struct ncu_report r;
	struct err e = {0};
	(void)state;
	/* 7 name, 13 metrics {1 name id 1, 2 value {5 u64 42}} */
	assert_true(ncu_open_bytes(&r, "x", one_result(2, "\x3a\x01k\x6a\x06\x08\x01\x12\x02\x28\x2a", 11), &e));
	assert_int_equal(r.n_results, 1);
	assert_true(str_is(r.results[0].name, "k"));
	assert_int_equal(ncu_metric(&r, &r.results[0], "b")->u, 42);
	assert_null(ncu_metric(&r, &r.results[0], "a"));
	ncu_release(&r);
	refused(one_result(2, "\x38\x01", 2), "key field has another type");      /* name as a number */
	refused(one_result(2, "\x50\x01", 2), "key field has another type");      /* grid size as a number */
	refused(one_result(7, "\x20\x01", 2), "key field has another type");      /* a range's metrics as a number */
	refused(one_result(2, "\x6a\x02\x08\x02", 4), "not in the string table"); /* name id 2 of two names */
	refused(one_result(2, "\x6a\x03\x12\x01\x28", 5), "a metric does not parse");     /* a value that ends early */
	refused(one_result(2, "\x6a\x04\x12\x02\x30\x01", 6), "a metric does not parse"); /* a sixth kind of value */
	refused(one_result(2, "\x6a\x7f", 2), "does not parse");                          /* a length past the end */
	refused(one_result(2, "\x0b", 1), "does not parse");                              /* a group */
}

static void test_unknown_fields(void **state)
{
	/* a block header with a field 15, and no entries, before everything else */
	static const char block[] = "\x05\0\0\0"
				    "\x78\x01"
				    "\x82\x01\0";
	char *p = arena_alloc(&arena, good.n + sizeof(block) - 1);
	struct ncu_report r;
	struct err e = {0};
	(void)state;
	memcpy(p, good.p, 10);
	memcpy(p + 10, block, sizeof(block) - 1);
	memcpy(p + 10 + sizeof(block) - 1, good.p + 10, good.n - 10);
	assert_true(ncu_open_bytes(&r, "x", (struct str){p, good.n + sizeof(block) - 1}, &e));
	assert_int_equal(r.n_results, 6);
	assert_false(r.damage.is_damaged);
	assert_int_equal(r.n_unmodeled, 2);
	assert_string_equal(r.unmodeled[0].message, "BlockHeader");
	assert_int_equal(r.unmodeled[0].field, 15);
	assert_int_equal(r.unmodeled[0].offset, 14);
	assert_int_equal(r.unmodeled[1].field, 16);
	ncu_release(&r);
}

static void test_future_tool(void **state)
{
	struct ncu_report r;
	struct err e = {0};
	(void)state;
	assert_true(ncu_open_bytes(&r, "x", good, &e));
	assert_true(r.is_verified);
	ncu_release(&r);
	assert_true(ncu_open_bytes(&r, "x", changed(find("2025.3.1.0 (build"), "2033", 4), &e));
	assert_int_equal(r.n_results, 6);
	assert_false(r.is_verified); /* read, and marked */
	ncu_release(&r);
}

static void test_packed(void **state)
{
	struct str packed;
	struct err e = {0};
	struct ncu_report r;
	(void)state;
	assert_true(file_read(&arena, &packed, "tests/data/ncu/two.ncu-repz", 1u << 20, &e));
	assert_true(ncu_open_bytes(&r, "x", packed, &e));
	assert_true(r.is_zstd && r.n_results == 6);
	ncu_release(&r);
	refused(str_sub(packed, 0, 40), "offset");
	refused(str_sub(packed, 0, packed.n / 2), "offset");
	assert_true(ncu_is_report(packed));
	assert_false(ncu_is_report(STR("\x28\xb5\x2f\xfd and no frame")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_a_report),
		cmocka_unit_test(test_container),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_unknown_fields),
		cmocka_unit_test(test_future_tool),
		cmocka_unit_test(test_packed),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
