/* Unit tests of base/expr.
 * In: expressions with the values that Python gives for the same text, and broken ones.
 * Out: cmocka's report.
 * Never: needs Python. */
#include "base/expr.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static bool lookup(void *ctx, struct str name, struct expr_value *out)
{
	(void)ctx;
	static const struct {
		const char *name;
		struct expr_value value;
	} known[] = {
		{"M", {.type = EXPR_INT, .i = 4096}},
		{"N", {.type = EXPR_INT, .i = 1000}},
		{"big", {.type = EXPR_INT, .i = INT64_MAX}},
		{"least", {.type = EXPR_INT, .i = INT64_MIN}},
		{"half", {.type = EXPR_REAL, .real = 0.5}},
		{"nan", {.type = EXPR_REAL, .real = (double)NAN}},
		{"ok", {.type = EXPR_BOOL, .boolean = true}},
		{"gpu.name", {.type = EXPR_STRING, .text = {"H200", 4}}},
		{"sm__throughput.avg.0_pct", {.type = EXPR_REAL, .real = 61.25}},
		{"min", {.type = EXPR_INT, .i = 3}},
		{"order", {.type = EXPR_INT, .i = 1}},
	};
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		if (str_is(name, known[i].name)) {
			*out = known[i].value;
			return true;
		}
	}
	return false;
}

static const char *shown(const char *text)
{
	static char out[1200];
	struct arena a;
	struct err e = {0};
	struct expr_value v;
	arena_init(&a);
	struct expr *x = expr_parse(&a, str_from(text), &e);
	if (!x || !expr_eval(x, lookup, NULL, &v, &e)) {
		assert_int_equal(e.code, ERR_INPUT);
		snprintf(out, sizeof out, "error %s", e.text);
	} else if (v.type == EXPR_INT) {
		snprintf(out, sizeof out, "%" PRId64, v.i);
	} else if (v.type == EXPR_REAL) {
		snprintf(out, sizeof out, "%.17g real", v.real);
	} else if (v.type == EXPR_BOOL) {
		snprintf(out, sizeof out, "%s", v.boolean ? "true" : "false");
	} else {
		snprintf(out, sizeof out, "'%.*s'", STR_ARG(v.text));
	}
	arena_release(&a);
	return out;
}

static void values(void **state)
{
	/* table: text and what comes of it */
	static const char *const cases[][2] = {
		{"1", "1"},
		{" 2 + 3 * 4 ", "14"},
		{"(2 + 3) * 4", "20"},
		{"2 - 3 - 4", "-5"},
		{"2*M*N", "8192000"},
		{"-2 ** 2", "-4"},
		{"2 ** 3 ** 2", "512"},
		{"2 ** -1", "0.5 real"},
		{"(-2) ** 63", "-9223372036854775808"},
		{"0 ** 0", "1"},
		{"(-1) ** 9223372036854775807", "-1"},
		{"--3", "3"},
		{"7 // 2", "3"},
		{"-7 // 2", "-4"},
		{"7 // -2", "-4"},
		{"-7 % 3", "2"},
		{"7 % -3", "-2"},
		{"-6 % 3", "0"},
		{"least % -1", "0"},
		{"7 / 2", "3.5 real"},
		{"6 / 2", "3 real"},
		{"7.5 // 2", "3 real"},
		{"-7.5 % 2", "0.5 real"},
		{"1e3", "1000 real"},
		{"2.5e-1", "0.25 real"},
		{"1E+2", "100 real"},
		{"half + 1", "1.5 real"},
		{"min(M, N)", "1000"},
		{"max(M, half)", "4096"},
		{"max(big, 1.0)", "9223372036854775807"},
		{"min(nan, 1)", "nan real"},
		{"10 // 0.1", "99 real"},
		{"min (3, 2) + min", "5"},
		{"ceil_div(7, 2)", "4"},
		{"ceil_div(-7, 2)", "-3"},
		{"ceil_div(8, 2)", "4"},
		{"ceil_div(N, 128) * 128", "1024"},
		{"min(1, nan) == 1", "false"},
		{"1 < 2", "true"},
		{"2 <= 2 and 3 >= 4", "false"},
		{"not 1 > 2", "true"},
		{"not ok or ok", "true"},
		{"1 == 1.0", "true"},
		{"big == 9223372036854775808.0", "false"}, /* would be equal as doubles */
		{"big < 9223372036854775808.0", "true"},
		{"nan == nan", "false"},
		{"nan != nan", "true"},
		{"nan < 1", "false"},
		{"nan >= 1", "false"},
		{"ok == true", "true"},
		{"ok != (1 < 2)", "false"},
		{"gpu.name == \"H200\"", "true"},
		{"gpu.name != 'H\"100'", "true"},
		{"sm__throughput.avg.0_pct>60 and ok", "true"},
		{"false and nosuch > 1", "false"},
		{"true or nosuch", "true"},
		{"order+1", "2"}, /* begins with a keyword */
		{"1 or_", "error '1 or_': column 3: 'o' where an operator or the end was expected"},
		{"gpu.name", "'H200'"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (strcmp(shown(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s: got %s, want %s", cases[i][0], shown(cases[i][0]), cases[i][1]);
	}
}

static void refusals(void **state)
{
	/* table: text and what comes of it */
	static const char *const cases[][2] = {
		{"", "'': column 1: it ends where a value"},
		{"1 +", "'1 +': column 4: it ends where a value"},
		{"(1", "column 3: it ends where ')' or an operator"},
		{"1)", "column 2: ')' where an operator or the end"},
		{"1 2", "column 3: '2' where an operator or the end"},
		{"M N", "column 3: 'N' where"},
		{"* 2", "column 1: '*' where a value"},
		{"2 * * 3", "column 5: '*' where a value"},
		{"+1", "column 1: '+' where a value"},
		{"1.", "column 3: a digit is missing after the point"},
		{".5", "column 1: '.' where a value"},
		{"1e", "column 3: a digit of the exponent"},
		{"4K", "column 2: a letter directly behind a number"},
		{"9223372036854775808", "column 1: the number does not fit 64 bits"},
		{"1e999", "the number is beyond a double"},
		{"1 < 2 < 3", "column 7: comparisons in a row"},
		{"1 = 2", "column 3: '=' where"},
		{"1 & 2", "column 3: '&' where"},
		{"\"abc", "column 1: string without its closing quote"},
		{"and", "column 1: 'a' where a value"},
		{"1 + not ok", "column 5: 'n' where a value"},
		{"sqrt(2)", "column 1: no such function; there are min, max and ceil_div"},
		{"min(1)", "column 6: ')' where ',' and a second argument"},
		{"min(1, 2, 3)", "column 9: ',' where ')' behind two arguments"},
		{"a.b.", "column 4: '.' where"},
		{"caf\xc3\xa9", "column 4: byte 0xc3 where"},
		{"\xff", "column 1: invalid UTF-8"},
		{"M * Q.x", "'M * Q.x': column 5: unknown name Q.x"},
		{"1 / 0", "column 3: division by zero"},
		{"1 // 0", "division by zero"},
		{"1 % 0.0", "division by zero"},
		{"ceil_div(1, 0)", "column 1: division by zero"},
		{"ceil_div(1.0, 2)", "ceil_div takes whole numbers"},
		{"big + 1", "column 5: the result does not fit 64 bits"},
		{"least - 1", "does not fit"},
		{"big * 2", "does not fit"},
		{"-least", "does not fit"},
		{"least // -1", "does not fit"},
		{"ceil_div(least, -1)", "does not fit"},
		{"2 ** 63", "does not fit"},
		{"10 ** 19", "does not fit"},
		{"0 ** -1", "not a finite number"},
		{"(-8) ** 0.5", "not a finite number"},
		{"1e308 * 10", "not a finite number"},
		{"ok + 1", "column 4: a truth value where a number"},
		{"-gpu.name", "column 1: a string where a number"},
		{"not M", "a whole number where a truth value"},
		{"M and ok", "column 1: a whole number where a truth value"},
		{"ok and M", "column 8: a whole number where a truth value"},
		{"gpu.name == 1", "column 10: a string is compared with a whole number"},
		{"gpu.name < 'x'", "only == and != compare strings"},
		{"ok < ok", "only == and != compare truth values"},
		{"ok == 1", "a truth value is compared with a whole number"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *got = shown(cases[i][0]);
		if (strncmp(got, "error '", 7) != 0 || !strstr(got, cases[i][1]))
			fail_msg("%s: got %s, want %s", cases[i][0], got, cases[i][1]);
	}
}

static void limits(void **state)
{
	char text[5000];
	(void)state;
	for (int open = 64; open <= 65; open++) {
		size_t n = (size_t)open;
		memset(text, '(', n);
		text[n] = '1';
		memset(text + n + 1, ')', n);
		text[2 * n + 1] = '\0';
		if (open == 64)
			assert_string_equal(shown(text), "1");
		else
			assert_non_null(strstr(shown(text), "nested deeper than 64"));
		memset(text, '-', n);
		text[n] = '1';
		text[n + 1] = '\0';
		assert_int_equal(strstr(shown(text), "nested deeper than 64") != NULL, open == 65);
	}
	/* A long row of terms is no nesting. */
	for (size_t i = 0; i < 4096; i++)
		text[i] = i % 2 ? '+' : '1';
	text[4095] = '\0';
	assert_string_equal(shown(text), "2048");
	memset(text, '1', 4097);
	text[4097] = '\0';
	assert_non_null(strstr(shown(text), "longer than 4096 bytes"));
}

static void collect(void *ctx, struct str name)
{
	char *out = ctx;
	size_t n = strlen(out);
	snprintf(out + n, 64 - n, "%.*s ", STR_ARG(name));
}

static void names(void **state)
{
	(void)state;
	struct arena a;
	struct err e;
	char out[64] = "";
	arena_init(&a);
	struct expr *x = expr_parse(&a, STR("2*M + min(a.b, -c) ** d and true and not x == 'y'"), &e);
	assert_non_null(x);
	expr_names(x, collect, out);
	assert_string_equal(out, "M a.b c d x ");
	arena_release(&a);
}

static void to_numbers(void **state)
{
	(void)state;
	struct err e;
	int64_t i = 0;
	double v = 0;
	assert_true(expr_int(STR("M * N"), lookup, NULL, &i, &e) && i == 4096000);
	assert_true(expr_int(STR("N / 2"), lookup, NULL, &i, &e) && i == 500);
	assert_false(expr_int(STR("1 / 2"), NULL, NULL, &i, &e));
	assert_string_equal(e.text, "'1 / 2': column 1: it gives 0.5, not a whole number of 64 bits");
	assert_false(expr_int(STR("2.0 ** 63"), NULL, NULL, &i, &e));
	assert_true(expr_int(STR("-(2.0 ** 63)"), NULL, NULL, &i, &e) && i == INT64_MIN);
	assert_false(expr_int(STR("nan"), lookup, NULL, &i, &e));
	assert_false(expr_int(STR("1 < 2"), NULL, NULL, &i, &e));
	assert_non_null(strstr(e.text, "it gives a truth value, not a number"));
	assert_false(expr_int(STR("M"), NULL, NULL, &i, &e));
	assert_true(expr_real(STR("1e-3 * half"), lookup, NULL, &v, &e) && v == 5e-4);
	assert_true(expr_real(STR("7"), NULL, NULL, &v, &e) && v == 7);
	assert_false(expr_real(STR("'x'"), NULL, NULL, &v, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values), cmocka_unit_test(refusals),   cmocka_unit_test(limits),
		cmocka_unit_test(names),  cmocka_unit_test(to_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
