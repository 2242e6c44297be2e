/* Unit tests of base/json.
 * In: literals, and tests/unit/json_repr.inc (doubles with the text that CPython prints for them).
 * Out: cmocka's report.
 * Never: needs Python. */
#include "base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/utf8.h"

struct fixture {
	struct arena a;
	struct buf b;
	struct err e;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	arena_init(&f->a);
	buf_init(&f->b);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	arena_release(&f->a);
	buf_release(&f->b);
	free(f);
	return 0;
}

static struct json *parse(struct fixture *f, const char *text, unsigned flags)
{
	return json_parse(&f->a, "t.json", str_from(text), flags, &f->e);
}

static const char *rewrite(struct fixture *f, const char *text, enum json_style style)
{
	struct json *j = parse(f, text, JSON_ALLOW_NAN);
	if (!j)
		fail_msg("%s", f->e.text);
	buf_clear(&f->b);
	json_write(&f->b, j, style);
	return f->b.p;
}

static void reads_every_type(void **state)
{
	struct fixture *f = *state;
	struct json *j =
		parse(f,
		      " {\"n\":null,\"t\":true,\"f\":false,\"i\":-9223372036854775808,\"m\":9223372036854775807,"
		      "\"u\":18446744073709551615,\"r\":-1.5e-3,\"s\":\"a\\u00e9\\n\",\"a\":[1,[2]],\"o\":{}}\r\n\t ",
		      0);
	assert_non_null(j);
	assert_int_equal(j->n, 10);
	assert_int_equal(json_get(j, "n")->type, JSON_NULL);
	assert_true(json_bool(j, "t", false));
	assert_false(json_bool(j, "f", true));
	assert_true(json_i64(j, "i", 0) == INT64_MIN);
	assert_true(json_i64(j, "m", 0) == INT64_MAX);
	assert_int_equal(json_get(j, "u")->type, JSON_UINT);
	assert_true(json_get(j, "u")->u == UINT64_MAX);
	assert_true(json_f64(j, "u", 0) == 18446744073709551616.0);
	assert_true(json_f64(j, "r", 0) == -1.5e-3);
	assert_true(str_is(json_get(j, "r")->text, "-1.5e-3"));
	assert_true(str_is(json_str(j, "s", STR("?")), "a\xc3\xa9\n"));
	assert_int_equal(json_path(j, "a.1.0")->i, 2);
	assert_int_equal(json_get(j, "o")->type, JSON_OBJECT);
}

static void lookups_fall_back(void **state)
{
	struct fixture *f = *state;
	struct json *j = parse(f, "{\"a\":{\"b\":[10,\"x\"]},\"r\":2.0}", 0);
	assert_int_equal(json_i64(j, "r", 7), 7); /* a real is no integer */
	assert_int_equal(json_i64(j, "absent", 7), 7);
	assert_true(json_f64(json_get(j, "a"), "b", 0.5) == 0.5);
	assert_true(str_is(json_str(j, "r", STR("fallback")), "fallback"));
	assert_true(json_bool(j, "r", true));
	assert_null(json_get(NULL, "a"));
	assert_null(json_at(NULL, 0));
	assert_null(json_at(json_path(j, "a.b"), 2));
	assert_null(json_path(j, "a.b.2"));
	assert_null(json_path(j, "a.b.x"));
	assert_null(json_path(j, "a.c"));
	assert_null(json_path(j, "a..b"));
	assert_int_equal(json_path(j, "a.b.0")->i, 10);
}

static void refuses_with_place(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "line 1 column 1: the text ends where a value"},
		{"{\"a\":1,\n \"a\":2}", "line 2 column 2: duplicate key \"a\""},
		{"[1,]", "line 1 column 4: ']' where a value"},
		{"[1 2]", "column 4: '2' where ',' or ']'"},
		{"{\"a\" 1}", "column 6: '1' where ':'"},
		{"{a:1}", "column 2: 'a' where a key in double quotes"},
		{"{\"a\":1,}", "column 8: '}' where a key"},
		{"[01]", "column 2: a number may not begin with 0"},
		{"[-]", "column 3: ']' where a digit"},
		{"[1.]", "column 4: ']' where a digit after the point"},
		{"[1e+]", "column 5: ']' where a digit of the exponent"},
		{"[.5]", "column 2: '.' where a value"},
		{"[+1]", "column 2: '+' where a value"},
		{"1 1", "column 3: '1' where the end"},
		{"\"abc", "column 1: string without its closing quote"},
		{"\"a\nb\"", "column 3: control byte 0x0a"},
		{"\"\\x\"", "column 2: unknown escape"},
		{"\"\\u12g4\"", "column 2: \\u needs four hex digits"},
		{"\"\\ud800\"", "column 2: lone surrogate \\ud800"},
		{"\"\\udc00\"", "column 2: lone surrogate \\udc00"},
		{"\"\\ud800\\u0041\"", "column 2: lone surrogate"},
		{"\"\xc3\xa9\xff\"", "column 3: invalid UTF-8 (byte 0xff)"},
		{"\"\xed\xa0\x80\"", "invalid UTF-8"}, /* an encoded surrogate */
		{"\"\xc0\xaf\"", "invalid UTF-8"},     /* overlong */
		{"\"\xf5\x80\x80\x80\"", "invalid UTF-8"},
		{"\xef\xbb\xbf{}", "byte order mark"},
		{"[NaN]", "column 2: NaN and Infinity are no JSON numbers"},
		{"[-Infinity]", "column 2: NaN and Infinity"},
		{"[1e999]", "column 2: number beyond the range"},
		{"nul", "column 1: 'n' where a value"},
		{"truex", "column 5: 'x' where the end"},
		{"{\"a\":1", "the text ends where ',' or '}'"},
		{"'a'", "where a value"},
		{"[\x01]", "byte 0x01 where a value"},
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		f->e.code = ERR_NONE;
		assert_null(parse(f, cases[i].text, 0));
		assert_int_equal(f->e.code, ERR_INPUT);
		assert_true(str_starts(str_from(f->e.text), "t.json: line "));
		if (!strstr(f->e.text, cases[i].want))
			fail_msg("%s: got \"%s\", want \"%s\"", cases[i].text, f->e.text, cases[i].want);
	}
	assert_null(json_parse(&f->a, "t.json", (struct str){"[1]\0", 4}, 0, &f->e)); /* a NUL behind the document */
}

static void limits_depth_and_size(void **state)
{
	struct fixture *f = *state;
	char text[300] = {0};
	memset(text, '[', 128);
	memset(text + 128, ']', 128);
	assert_non_null(parse(f, text, 0));
	memset(text, '[', 129);
	memset(text + 129, ']', 129);
	assert_null(parse(f, text, 0));
	assert_non_null(strstr(f->e.text, "column 129: nested deeper than 128"));
	size_t n = ((size_t)16 << 20) + 1;
	char *big = calloc(1, n);
	assert_non_null(big);
	memset(big, ' ', n);
	big[0] = '1';
	assert_null(json_parse(&f->a, "big", (struct str){big, n}, 0, &f->e));
	assert_non_null(json_parse(&f->a, "big", (struct str){big, n - 1}, 0, &f->e));
	free(big);
}

static void flags_widen(void **state)
{
	struct fixture *f = *state;
	struct json *j = parse(f, "[NaN,Infinity,-Infinity,1e999]", JSON_ALLOW_NAN);
	assert_non_null(j);
	assert_true(isnan(j->items[0]->real));
	assert_true(isinf(j->items[1]->real) && j->items[1]->real > 0);
	assert_true(isinf(j->items[2]->real) && j->items[2]->real < 0);
	j = parse(f, "{\"a\":1,\"b\":2,\"a\":3}", JSON_ALLOW_DUPLICATES);
	assert_non_null(j);
	assert_int_equal(j->n, 2);
	assert_int_equal(json_i64(j, "a", 0), 1);
}

/* Over 16 members an object is hashed: insertion order, lookups and duplicates must not notice. */
static void large_objects(void **state)
{
	struct fixture *f = *state;
	struct json *o = json_object(&f->a);
	char key[32];
	for (int64_t i = 0; i < 5000; i++) {
		snprintf(key, sizeof key, "key%d", (int)i);
		json_set_i64(o, key, i);
		json_set_i64(o, key, 2 * i);
	}
	assert_int_equal(o->n, 5000);
	buf_clear(&f->b);
	json_write(&f->b, o, JSON_COMPACT);
	struct json *j = json_parse(&f->a, "t", buf_view(&f->b), 0, &f->e);
	assert_non_null(j);
	assert_int_equal(j->n, 5000);
	for (int64_t i = 0; i < 5000; i++) {
		snprintf(key, sizeof key, "key%d", (int)i);
		assert_int_equal(json_i64(j, key, -1), 2 * i);
		assert_true(str_is(o->members[i].key, key));
	}
	assert_null(json_get(j, "key5000"));
	f->b.p[f->b.n - 1] = ',';
	buf_puts(&f->b, "\"key77\":0}");
	assert_null(json_parse(&f->a, "t", buf_view(&f->b), 0, &f->e));
	assert_non_null(strstr(f->e.text, "duplicate key \"key77\""));
}

/* Expected texts: json.dumps(json.loads(text), sort_keys=True) of CPython 3. */
static void writes_as_python(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"{\"b\":[1,2.50,-0.0,-0],\"a\":{}}", "{\"a\": {}, \"b\": [1, 2.5, -0.0, 0]}"},
		{"[]", "[]"},
		{"\"/\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\x7f~\"",
		 "\"/\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f~\""},
		{"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\"\\u00e9\\u20ac\\ud83d\\ude00\""},
		{"[1e22,1E-7,123456789012345678901234567890,18446744073709551615]",
		 "[1e+22, 1e-07, 123456789012345678901234567890, 18446744073709551615]"},
		{"[NaN,Infinity,-Infinity]", "[NaN, Infinity, -Infinity]"},
		{"{\"\xef\xbf\xbd\":1,\"\xf0\x90\x80\x80\":2,\"z\":3,\"Z\":4,\"\":5}",
		 "{\"\": 5, \"Z\": 4, \"z\": 3, \"\\ufffd\": 1, \"\\ud800\\udc00\": 2}"},
		{"[true,false,null]", "[true, false, null]"},
		{"{\"backend\":\"B\",\"tags\":[\"a\",\"b\"]}", "{\"backend\": \"B\", \"tags\": [\"a\", \"b\"]}"},
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(rewrite(f, cases[i].text, JSON_PYTHON), cases[i].want);
}

static void writes_compact_and_pretty(void **state)
{
	struct fixture *f = *state;
	const char *text = "{\"b\":[1,2.5],\"a\":{\"y\":[],\"x\":{}},\"c\":[[1],\"\xc3\xa9\x7f\",null],\"d\":NaN}";
	assert_string_equal(rewrite(f, text, JSON_COMPACT),
			    "{\"a\":{\"x\":{},\"y\":[]},\"b\":[1,2.5],\"c\":[[1],\"\xc3\xa9\x7f\",null],\"d\":null}");
	assert_string_equal(rewrite(f, text, JSON_PRETTY), "{\n"
							   "  \"a\": {\n"
							   "    \"x\": {},\n"
							   "    \"y\": []\n"
							   "  },\n"
							   "  \"b\": [1, 2.5],\n"
							   "  \"c\": [\n"
							   "    [1],\n"
							   "    \"\xc3\xa9\x7f\",\n"
							   "    null\n"
							   "  ],\n"
							   "  \"d\": null\n"
							   "}\n");
}

/* NaN becomes null, so an array with one is not laid out as plain numbers: what is read again must look the same. */
static void pretty_is_stable(void **state)
{
	struct fixture *f = *state;
	char *once = arena_strdup(&f->a, rewrite(f, "[[1,NaN],[1e400],[1,2]]", JSON_PRETTY));
	assert_string_equal(rewrite(f, once, JSON_PRETTY), once);
	assert_non_null(strstr(once, "[1, 2]"));
}

static void builds(void **state)
{
	struct fixture *f = *state;
	struct json *o = json_object(&f->a);
	json_set_cstr(o, "s", "x");
	json_set_cstr(o, "none", NULL);
	json_set_u64(o, "u", UINT64_MAX);
	json_set_u64(o, "small", 3);
	json_set_f64(o, "nan", (double)NAN);
	json_set_f64(o, "r", 2);
	json_set_bool(o, "t", true);
	json_set_null(o, "z");
	json_set_str(o, "bad", (struct str){"a\xff\xc3", 3});
	json_put(o, (struct str){"keyrest", 3}, json_new_bool(&f->a, false));
	struct json *a = json_set_array(json_set_object(o, "o"), "list");
	json_push_i64(a, -1);
	json_push_f64(a, 0.1);
	json_push_str(a, STR("q"));
	json_set_i64(o, "s", 4); /* replaces, in place */
	assert_true(str_is(o->members[0].key, "s"));
	json_write(&f->b, o, JSON_COMPACT);
	assert_string_equal(f->b.p, "{\"bad\":\"a\xef\xbf\xbd\xef\xbf\xbd\",\"key\":false,\"nan\":null,\"none\":null,"
				    "\"o\":{\"list\":[-1,0.1,\"q\"]},\"r\":2.0,\"s\":4,\"small\":3,\"t\":true,"
				    "\"u\":18446744073709551615,\"z\":null}");
}

static void repr_as_python(void **state)
{
	static const struct {
		uint64_t bits;
		const char *want;
	} cases[] = {
#include "unit/json_repr.inc"
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char out[32];
		double v;
		memcpy(&v, &cases[i].bits, sizeof v);
		assert_int_equal(json_repr(out, v), strlen(cases[i].want));
		assert_string_equal(out, cases[i].want);
	}
}

static void repr_reads_back(void **state)
{
	(void)state;
	uint64_t x = 88172645463325252u; /* xorshift64 (Marsaglia 2003) */
	size_t longest = 0;
	for (int i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		double v, back;
		memcpy(&v, &x, sizeof v);
		if (!isfinite(v))
			continue;
		char out[32];
		size_t n = json_repr(out, v);
		assert_true(n == strlen(out) && n < 32);
		longest = n > longest ? n : longest;
		back = strtod(out, NULL);
		assert_memory_equal(&back, &v, sizeof v);
	}
	assert_int_equal(longest, 24); /* -1.2345678901234567e-123 */
}

static void utf8_both_ways(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x110000; c++) {
		char bytes[4];
		uint32_t back = 0;
		bool surrogate = c >= 0xd800 && c <= 0xdfff;
		size_t n = utf8_encode(bytes, c);
		assert_int_equal(utf8_decode((struct str){bytes, n}, &back), surrogate ? 0 : n);
		assert_true(surrogate || back == c);
		assert_int_equal(utf8_decode((struct str){bytes, n - 1}, NULL), 0);
	}
	assert_true(utf8_is_valid(STR("a\xc3\xa9")));
	assert_false(utf8_is_valid(STR("a\xc3")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(reads_every_type),
		TEST(lookups_fall_back),
		TEST(refuses_with_place),
		TEST(flags_widen),
		TEST(limits_depth_and_size),
		TEST(large_objects),
		TEST(writes_as_python),
		TEST(writes_compact_and_pretty),
		TEST(builds),
		TEST(pretty_is_stable),
		TEST(repr_as_python),
		TEST(repr_reads_back),
		TEST(utf8_both_ways),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
