/* JSON mended: rows, and random damage to an event whose result must always be valid.
 * In: broken texts. Out: pass or fail.
 * Never: a text that another run would not make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "read/kineto/mend.h"

static const struct {
	const char *text, *mended; /* NULL: cannot be made whole */
} rows[] = {
	{"{}", "{}"},
	{"{ \"a\" : 1 , \"b\" : [ 1 , 2 ] }", "{\"a\":1,\"b\":[1,2]}"},
	{"{\"a\":1,}", "{\"a\":1}"},
	{"{\"a\":1 \"b\":2}", "{\"a\":1,\"b\":2}"},
	{"[1,,2,]", "[1,2]"},
	{"[1 2]", "[1,2]"},
	{"{\"a\":1,\"a\":2,\"b\":3}", "{\"a\":1,\"b\":3}"},
	{"{\"p\":\"C:\\Users\\x\"}", "{\"p\":\"C:\\\\Users\\\\x\"}"},
	{"{\"p\":\"\\u00e4\\n\"}", "{\"p\":\"\\u00e4\\n\"}"},
	{"{\"p\":\"a\tb\x01\"}", "{\"p\":\"a\\u0009b\\u0001\"}"},
	{"{\"p\":\"\xff\xc3\xa4\xc3\"}", "{\"p\":\"\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\"}"},
	{"[nan,NaN,inf,-Infinity,+1,007,-0,.5,1.,1e5,true,nil]",
	 "[null,null,null,null,1,7,-0,null,null,1e5,true,null]"},
	{"{\"a\":{\"b\":[{\"c\":\"}\"}]}}", "{\"a\":{\"b\":[{\"c\":\"}\"}]}}"},
	{"{\"a\":1", NULL},
	{"{\"a\"", NULL},
	{"{\"a\":\"x}", NULL},
	{"{1:2}", NULL},
	{"{\"a\":}", NULL},
	{"[1}", NULL},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct buf out;
		struct mend m = {.p = rows[i].text, .end = strlen(rows[i].text)};
		buf_init(&out);
		size_t end = mend_value(&m, &out, 0);
		if (!rows[i].mended) {
			assert_int_equal(end, 0);
		} else {
			assert_int_equal(end, m.end);
			assert_string_equal(out.p, rows[i].mended);
		}
		buf_release(&out);
	}
}

static void test_fields_and_redaction(void **state)
{
	static const char text[] =
		"{\"ph\":\"X\",\"name\":\"/home/me/a.py(1): f\",\"args\":{\"correlation\":7,\"env\":{\"A\":1},"
		"\"path\":\"\\/data\\/x\\/y.cu\",\"deep\":{\"correlation\":8}}}";
	struct redact r = {0};
	struct mend m = {.p = text, .end = sizeof(text) - 1, .redact = &r};
	struct buf out;
	(void)state;
	buf_init(&out);
	assert_int_equal(mend_value(&m, &out, 0), sizeof(text) - 1);
	assert_string_equal(
		out.p,
		"{\"ph\":\"X\",\"name\":\"[path]/a.py(1): f\",\"args\":{\"correlation\":7,\"env\":\"[redacted]\","
		"\"path\":\"[path]/y.cu\",\"deep\":{\"correlation\":8}}}");
	assert_true(str_is(mend_field(&m, "ph", false), "X"));
	assert_true(str_is(mend_field(&m, "correlation", true), "7"));
	assert_int_equal(mend_field(&m, "correlation", false).n, 0);
	assert_int_equal(mend_field(&m, "none", true).n, 0);
	buf_release(&out);
}

static void test_depth(void **state)
{
	struct buf in, out;
	(void)state;
	buf_init(&in);
	buf_init(&out);
	buf_repeat(&in, '[', 10000);
	struct mend m = {.p = in.p, .end = in.n};
	assert_int_equal(mend_value(&m, &out, 0), 0);
	buf_release(&in);
	buf_release(&out);
}

static uint64_t state_of;

static size_t below(size_t n)
{
	state_of = state_of * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(state_of >> 33) % n;
}

static void test_random_damage(void **state)
{
	static const char good[] =
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k<\\\"a\\\">\\u00e4 \\ud83d\\ude00\",\"ts\":1.5,\"args\":"
		"{\"grid\":[1,2,3],\"bw\":nan,\"s\":\"C:\\x\"}}";
	size_t n_whole = 0;
	(void)state;
	for (int seed = 0; seed < 20000; seed++) {
		char text[sizeof(good)];
		struct arena a;
		struct err e;
		struct buf out;
		struct redact r = {0};
		memcpy(text, good, sizeof(good));
		state_of = (uint64_t)seed;
		for (size_t k = below(4); k > 0; k--)
			text[below(sizeof(good) - 1)] = "\"\\{}[],: \n\x80xu0"[below(14)];
		struct mend m = {.p = text, .end = sizeof(good) - 1, .redact = seed % 2 ? &r : NULL};
		buf_init(&out);
		arena_init(&a);
		if (mend_value(&m, &out, 0)) {
			n_whole++;
			/* lone surrogates are valid JSON that the strict reader refuses */
			bool lone = strstr(out.p, "\\ud8") || strstr(out.p, "\\ude");
			if (!json_parse(&a, "mended", buf_view(&out), JSON_STRICT, &e) && !lone)
				fail_msg("seed %d: %s: %s", seed, e.text, out.p);
		}
		arena_release(&a);
		buf_release(&out);
	}
	assert_true(n_whole > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_fields_and_redaction),
					   cmocka_unit_test(test_depth), cmocka_unit_test(test_random_damage)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
