/* Unit tests of base/str and base/err.
 * In: literals. Out: cmocka's report.
 * The err tests stand here because an err is mostly its text.
 * Never: allocates. */
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"

static void views(void **state)
{
	(void)state;
	struct str s = STR("hello");
	assert_int_equal(str_from(NULL).n, 0);
	assert_non_null(str_from(NULL).p);
	assert_true(str_is(str_sub(s, 1, 3), "ell"));
	assert_true(str_is(str_sub(s, 3, SIZE_MAX), "lo"));
	assert_int_equal(str_sub(s, 5, 1).n, 0);
	assert_int_equal(str_sub(s, 99, 1).n, 0);
	assert_int_equal(str_sub((struct str){NULL, 0}, 0, 5).n, 0);
	assert_true(str_eq(s, str_from("hello")));
	assert_false(str_eq(s, STR("hellO")));
	assert_false(str_is(s, "hell"));
	assert_false(str_is(s, "hello!"));
	assert_true(str_eq((struct str){NULL, 0}, STR("")));
	assert_true(str_starts(s, "he") && str_starts(s, "") && !str_starts(s, "hello!"));
	assert_true(str_ends(s, "lo") && str_ends(s, "") && !str_ends(s, "!hello"));
	assert_true(str_is(str_trim(STR(" \t\r\n a b \n")), "a b"));
	assert_int_equal(str_trim(STR(" \n ")).n, 0);
}

static void order(void **state)
{
	(void)state;
	assert_true(str_cmp(STR("a"), STR("b")) < 0);
	assert_true(str_cmp(STR("b"), STR("a")) > 0);
	assert_true(str_cmp(STR("a"), STR("ab")) < 0);
	assert_true(str_cmp(STR("\xff"), STR("a")) > 0); /* bytes are unsigned */
	assert_int_equal(str_cmp(STR("a\0b"), STR("a\0b")), 0);
	assert_true(str_cmp(STR("a\0b"), STR("a\0c")) < 0);
	assert_true(str_cmp((struct str){NULL, 0}, STR("")) == 0);
}

static void finding(void **state)
{
	(void)state;
	assert_int_equal(str_find(STR("abcabc"), STR("ca")), 2);
	assert_true(str_find(STR("abc"), STR("abcd")) == SIZE_MAX);
	assert_int_equal(str_find(STR("abc"), STR("")), 0);
	assert_true(str_find((struct str){NULL, 0}, STR("a")) == SIZE_MAX);
	assert_int_equal(str_find_char(STR("a\0b"), 'b'), 2);
	assert_true(str_find_char(STR(""), 'b') == SIZE_MAX);
}

static void splitting(void **state)
{
	(void)state;
	struct str rest = STR("a,,b,"), part;
	static const char *const want[] = {"a", "", "b", ""};
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		assert_true(str_split(&rest, ',', &part));
		assert_true(str_is(part, want[i]));
	}
	assert_false(str_split(&rest, ',', &part));
	rest = STR("");
	assert_true(str_split(&rest, ',', &part) && part.n == 0);
	assert_false(str_split(&rest, ',', &part));
	rest = (struct str){NULL, 0};
	assert_false(str_split(&rest, ',', &part));
}

static void whole_numbers(void **state)
{
	(void)state;
	int64_t i = 0;
	uint64_t u = 0;
	assert_true(str_i64(STR("-9223372036854775808"), &i) && i == INT64_MIN);
	assert_true(str_i64(STR("9223372036854775807"), &i) && i == INT64_MAX);
	assert_true(str_i64(STR("+5"), &i) && i == 5);
	assert_true(str_i64(STR("007"), &i) && i == 7);
	assert_true(str_u64(STR("18446744073709551615"), &u) && u == UINT64_MAX);
	assert_true(str_u64(STR("0xFFffffffffffffff"), &u) && u == UINT64_MAX);
	assert_true(str_u64(STR("0"), &u) && u == 0);
	static const char *const bad_i[] = {
		"",     "-",   "+",   "5 ", " 5", "5a", "--5", "9223372036854775808", "-9223372036854775809",
		"0x10", "1.0", "1e3",
	};
	for (size_t k = 0; k < COUNT_OF(bad_i); k++)
		assert_false(str_i64(str_from(bad_i[k]), &i));
	static const char *const bad_u[] = {"", "-1", "+1", "0x", "18446744073709551616", "0x10000000000000000", "0xg"};
	for (size_t k = 0; k < COUNT_OF(bad_u); k++)
		assert_false(str_u64(str_from(bad_u[k]), &u));
	assert_false(str_i64((struct str){"5\0", 2}, &i));
	assert_true(i == 7 && u == 0); /* untouched by the failures */
}

static void doubles(void **state)
{
	(void)state;
	double v = 0;
	assert_true(str_f64(STR("-1.5e-3"), &v) && v == -1.5e-3);
	assert_true(str_f64((struct str){"12345", 2}, &v) && v == 12);
	assert_true(str_f64(STR("1e-400"), &v) && v == 0);
	static const char *const bad[] = {"", " 1", "1 ", "1e999", "abc", "1.5x", "--1"};
	for (size_t k = 0; k < COUNT_OF(bad); k++)
		assert_false(str_f64(str_from(bad[k]), &v));
}

static void distance(void **state)
{
	(void)state;
	assert_int_equal(str_distance(STR("kitten"), STR("sitting")), 3);
	assert_int_equal(str_distance(STR(""), STR("abc")), 3);
	assert_int_equal(str_distance(STR("abc"), STR("")), 3);
	assert_int_equal(str_distance(STR("same"), STR("same")), 0);
	char long_name[66] = {0};
	memset(long_name, 'a', 65);
	assert_true(str_distance(str_from(long_name), STR("a")) == SIZE_MAX);
	assert_int_equal(str_distance(str_sub(str_from(long_name), 0, 64), STR("a")), 63);
}

static void hashing(void **state)
{
	(void)state;
	/* Test vectors of FNV-1a 64. */
	assert_true(str_hash(STR("")) == UINT64_C(0xcbf29ce484222325));
	assert_true(str_hash(STR("a")) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(str_hash(STR("foobar")) == UINT64_C(0x85944171f73967e8));
}

static void shown(void **state)
{
	(void)state;
	char out[STR_SHOWN], text[200];
	assert_string_equal(str_shown(out, STR("plain caf\xc3\xa9")), "plain caf\xc3\xa9");
	assert_string_equal(str_shown(out, STR("a\nb\x1b[0m\x7f\xff")), "a?b?[0m??");
	memset(text, 'x', sizeof text);
	str_shown(out, (struct str){text, sizeof text});
	assert_int_equal(strlen(out), STR_SHOWN - 1);
	assert_true(str_ends(str_from(out), "x..."));
	str_shown(out, (struct str){text, 60});
	assert_int_equal(strlen(out), 60);
	for (size_t i = 0; i + 3 <= sizeof text; i += 3)
		memcpy(text + i, "\xe6\xbc\xa2", 3);
	str_shown(out, (struct str){text, 198});
	assert_true(str_ends(str_from(out), "\xe6\xbc\xa2...")); /* clipped between code points */
	assert_string_equal(str_shown(out, STR("")), "");
}

static void errors(void **state)
{
	(void)state;
	struct err e = {0};
	assert_false(err_set(&e, ERR_INPUT, "%s: %d", "f.json", 7));
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.text, "f.json: 7");
	assert_false(err_prefix(&e, "run %d", 2));
	assert_string_equal(e.text, "run 2: f.json: 7");
	assert_false(err_errno(&e, ERR_IO, ENOENT, "%s", "x"));
	assert_int_equal(e.code, ERR_IO);
	assert_string_equal(e.text, "x: No such file or directory");
	err_errno(&e, ERR_IO, ENOSPC, "x");
	assert_int_equal(e.code, ERR_NO_SPACE);
	err_errno(&e, ERR_SYSTEM, EDQUOT, "x");
	assert_int_equal(e.code, ERR_NO_SPACE);
	assert_false(err_set(NULL, ERR_INPUT, "x"));
	assert_false(err_errno(NULL, ERR_INPUT, EIO, "x"));
	assert_false(err_prefix(NULL, "x"));
	char big[3000];
	memset(big, 'y', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	err_set(&e, ERR_INPUT, "%s", big);
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	err_prefix(&e, "p");
	assert_true(str_starts(str_from(e.text), "p: yyy"));
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	assert_string_equal(err_name(ERR_NONE), "none");
	assert_string_equal(err_name(ERR_BUSY), "lease_taken");
	assert_int_equal(err_exit(ERR_USAGE), 2);
	assert_int_equal(err_exit(ERR_ENVIRONMENT), 3);
	assert_int_equal(err_exit(ERR_CORRUPT), 4);
	assert_int_equal(err_exit(ERR_INTERRUPTED), 130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views),   cmocka_unit_test(order),     cmocka_unit_test(finding),
		cmocka_unit_test(shown),   cmocka_unit_test(splitting), cmocka_unit_test(whole_numbers),
		cmocka_unit_test(doubles), cmocka_unit_test(distance),  cmocka_unit_test(hashing),
		cmocka_unit_test(errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
