/* Column files: bytes of a small file, round trip, hostile files, the independent reader. */
#include "store/column.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "stats/summary.h"

struct fixture {
	struct arena a;
	struct buf b;
	struct err e;
	struct column_file f;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
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

/* The bytes at an aligned place of their own, so that a read past the end is seen by a sanitizer. */
static bool parse(struct fixture *f, const void *p, size_t n)
{
	char *copy = malloc(n ? n : 1);
	memcpy(copy, p, n);
	bool ok = column_parse(&f->f, &f->a, "file", (struct str){copy, n}, &f->e);
	if (ok) { /* touch every sample */
		volatile unsigned sum = 0;
		for (size_t i = 0; i < f->f.n_columns; i++) {
			const unsigned char *data = f->f.columns[i].data;
			for (size_t k = 0; k < f->f.n_rows * column_type_bytes(f->f.columns[i].type); k++)
				sum = sum + data[k];
		}
	}
	free(copy);
	return ok;
}

static void test_bytes(void **state)
{
	struct fixture *f = *state;
	uint8_t side[3] = {0, 1, 255};
	double span[3] = {1.5, 2, -0.25};
	struct column c[] = {
		{.name = "side", .unit = "1", .type = COLUMN_U8, .is_optional = true, .data = side},
		{.name = "span", .unit = "ns", .type = COLUMN_F64, .data = span},
	};
	struct json *meta = json_object(&f->a);
	json_set_i64(meta, "seed", 7);
	assert_true(column_encode(&f->b, c, 2, 3, meta, &f->e));
	const char *header = "{\"columns\":[{\"name\":\"side\",\"optional\":true,\"type\":\"u8\",\"unit\":\"1\"},"
			     "{\"name\":\"span\",\"type\":\"f64\",\"unit\":\"ns\"}],"
			     "\"format\":\"assay/trial-v1\",\"n_rows\":3,\"seed\":7}";
	size_t n = strlen(header), padded = (n + 7) / 8 * 8;
	assert_int_equal(f->b.n, 24 + padded + 8 + 24);
	assert_memory_equal(f->b.p, "ASSAYCOL\1\0\0\0\0\0\0\0", 16);
	assert_int_equal((unsigned char)f->b.p[16], padded);
	assert_memory_equal(f->b.p + 24, header, n);
	assert_memory_equal(f->b.p + 24 + padded, "\0\1\xff\0\0\0\0\0", 8);
	assert_memory_equal(f->b.p + 24 + padded + 8, span, 24);
}

static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	uint8_t u8[5] = {1, 2, 3, 4, 5};
	uint32_t u32[5] = {1, 2, 3, 4, UINT32_MAX};
	int64_t i64[5] = {INT64_MIN, -1, 0, 1, INT64_MAX};
	double f64[5] = {0.1, -0.0, 1e308, 5e-324, 3};
	struct column c[] = {
		{.name = "a", .unit = "1", .type = COLUMN_U8, .data = u8},
		{.name = "b", .type = COLUMN_U32, .data = u32},
		{.name = "c", .unit = "ns", .type = COLUMN_I64, .is_optional = true, .data = i64},
		{.name = "d_2", .unit = "ns", .type = COLUMN_F64, .data = f64},
	};
	assert_true(column_encode(&f->b, c, 4, 5, NULL, &f->e));
	assert_true(column_parse(&f->f, &f->a, "file", buf_view(&f->b), &f->e));
	assert_int_equal(f->f.n_rows, 5);
	assert_int_equal(f->f.n_columns, 4);
	assert_memory_equal(column_u8(&f->f, "a"), u8, sizeof(u8));
	assert_memory_equal(column_u32(&f->f, "b"), u32, sizeof(u32));
	assert_memory_equal(column_i64(&f->f, "c"), i64, sizeof(i64));
	assert_memory_equal(column_f64(&f->f, "d_2"), f64, sizeof(f64));
	assert_string_equal(column_find(&f->f, "b")->unit, "");
	assert_true(column_find(&f->f, "c")->is_optional);
	assert_null(column_f64(&f->f, "a")); /* of another type */
	assert_null(column_f64(&f->f, "absent"));
	assert_string_equal(column_type_name(COLUMN_I64), "i64");
	buf_clear(&f->b);
	assert_true(column_encode(&f->b, c, 4, 0, NULL, &f->e)); /* no rows is a file too */
	assert_true(column_parse(&f->f, &f->a, "file", buf_view(&f->b), &f->e));
	assert_int_equal(f->f.n_rows, 0);
}

static void test_encode_refuses(void **state)
{
	struct fixture *f = *state;
	double x[1] = {1};
	struct column two[] = {{.name = "x", .type = COLUMN_F64, .data = x},
			       {.name = "x", .type = COLUMN_F64, .data = x}};
	assert_false(column_encode(&f->b, two, 2, 1, NULL, &f->e));
	assert_non_null(strstr(f->e.text, "twice"));
	const char *names[] = {"", "Span", "a b", "a-b", NULL};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		two[0].name = names[i];
		assert_false(column_encode(&f->b, two, 1, 1, NULL, &f->e));
	}
	two[0].name = "x";
	assert_false(column_encode(&f->b, two, 0, 1, NULL, &f->e));
	assert_false(column_encode(&f->b, two, 1, UINT64_MAX / 8, NULL, &f->e));
	assert_false(column_encode(&f->b, two, 1, UINT64_MAX, NULL, &f->e));
	struct json *meta = json_object(&f->a);
	json_set_i64(meta, "n_rows", 3);
	assert_false(column_encode(&f->b, two, 1, 1, meta, &f->e));
	assert_false(column_encode(&f->b, two, 1, 1, json_array(&f->a), &f->e));
	assert_int_equal(f->b.n, 0); /* nothing half-written */
}

/* A file with this header and n bytes of data. */
static bool parse_made(struct fixture *f, const char *header, size_t n)
{
	size_t len = strlen(header), padded = (len + 7) / 8 * 8;
	char *p = calloc(1, 24 + padded + n);
	uint64_t n_header = padded;
	memcpy(p, "ASSAYCOL\1\0\0\0\0\0\0\0", 16);
	memcpy(p + 16, &n_header, 8);
	memset(p + 24, ' ', padded);
	memcpy(p + 24, header, len);
	bool ok = parse(f, p, 24 + padded + n);
	free(p);
	return ok;
}

#define COLUMNS "\"columns\":[{\"name\":\"x\",\"type\":\"f64\",\"unit\":\"ns\"}]"
#define FORMAT ",\"format\":\"assay/trial-v1\""

static void test_hostile_headers(void **state)
{
	struct fixture *f = *state;
	assert_true(parse_made(f, "{" COLUMNS FORMAT ",\"n_rows\":2}", 16));
	static const struct {
		const char *header;
		size_t n;
	} bad[] = {
		{"", 0},
		{"[]", 0},
		{"{}", 0},
		{"{" COLUMNS FORMAT ",\"n_rows\":2}", 8},
		{"{" COLUMNS FORMAT ",\"n_rows\":2}", 24},
		{"{" COLUMNS FORMAT ",\"n_rows\":-1}", 16},
		{"{" COLUMNS FORMAT ",\"n_rows\":2.0}", 16},
		{"{" COLUMNS FORMAT ",\"n_rows\":9223372036854775807}", 16},
		{"{" COLUMNS FORMAT ",\"n_rows\":2305843009213693952}", 16}, /* times 8 is 2^64 */
		{"{" COLUMNS FORMAT ",\"n_rows\":18446744073709551615}", 16},
		{"{" COLUMNS FORMAT "}", 16},
		{"{" COLUMNS ",\"format\":\"assay/trial-v2\",\"n_rows\":2}", 16},
		{"{\"columns\":[]" FORMAT ",\"n_rows\":0}", 0},
		{"{\"columns\":{}" FORMAT ",\"n_rows\":0}", 0},
		{"{\"columns\":[1]" FORMAT ",\"n_rows\":0}", 0},
		{"{\"columns\":[{\"name\":\"x\",\"type\":\"f32\"}]" FORMAT ",\"n_rows\":0}", 0},
		{"{\"columns\":[{\"name\":\"../x\",\"type\":\"u8\"}]" FORMAT ",\"n_rows\":0}", 0},
		{"{\"columns\":[{\"name\":7,\"type\":\"u8\"}]" FORMAT ",\"n_rows\":0}", 0},
		{"{\"columns\":[{\"name\":\"x\",\"optional\":1,\"type\":\"u8\"}]" FORMAT ",\"n_rows\":0}", 0},
		{"{\"columns\":[{\"name\":\"x\",\"type\":\"u8\"},{\"name\":\"x\",\"type\":\"u8\"}]" FORMAT
		 ",\"n_rows\":0}",
		 0},
		{"{" COLUMNS "," COLUMNS FORMAT ",\"n_rows\":2}", 16},
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (parse_made(f, bad[i].header, bad[i].n))
			fail_msg("accepted: %s with %zu bytes", bad[i].header, bad[i].n);
		assert_int_equal(f->e.code, ERR_INPUT);
		assert_true(str_starts(str_from(f->e.text), "file"));
	}
}

static void test_hostile_bytes(void **state)
{
	struct fixture *f = *state;
	uint8_t x[3] = {1, 2, 3};
	struct column c = {.name = "x", .type = COLUMN_U8, .data = x};
	assert_true(column_encode(&f->b, &c, 1, 3, NULL, &f->e));
	assert_true(parse(f, f->b.p, f->b.n));
	for (size_t n = 0; n < f->b.n; n++) /* cut anywhere */
		assert_false(parse(f, f->b.p, n));
	char *p = f->b.p;
	p[f->b.n - 1] = 1; /* padding */
	assert_false(parse(f, p, f->b.n));
	p[f->b.n - 1] = 0;
	p[8] = 2;
	assert_false(parse(f, p, f->b.n));
	assert_int_equal(f->e.code, ERR_UNSUPPORTED);
	p[8] = 1;
	for (int bit = 0; bit < 64; bit++) { /* every wrong header length near a power of two */
		uint64_t n = UINT64_C(1) << bit, old;
		memcpy(&old, p + 16, 8);
		memcpy(p + 16, &n, 8);
		assert_false(parse(f, p, f->b.n));
		memcpy(p + 16, &old, 8);
	}
	assert_true(parse(f, p, f->b.n));
	buf_char(&f->b, 0);
	assert_false(parse(f, f->b.p, f->b.n));
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("got %.17g, want %.17g", got, want);
}

/* A file in the store, read by the script, gives the program's own statistics to 1e-12. */
static void test_independent_reader(void **state)
{
	struct fixture *f = *state;
	const char *python = path_which(&f->a, "python3", NULL);
	char folder[] = "/tmp/assay-test-col.XXXXXX", digest[SHA256_HEX];
	if (!python) {
		print_message("skipped: no python3\n");
		skip();
	}
	assert_non_null(mkdtemp(folder));
	struct store *s = store_open(folder, &f->e);
	double span[1001], busy[1001];
	for (int i = 0; i < 1001; i++) {
		span[i] = 15744.0 + 32 * ((i * 7919) % 41) + (i % 10 ? 0.1 : 1312.7);
		busy[i] = i % 3 ? 100.0 / (i + 1) : NAN;
	}
	struct column c[] = {{.name = "span", .unit = "ns", .type = COLUMN_F64, .data = span},
			     {.name = "busy", .unit = "ns", .type = COLUMN_F64, .is_optional = true, .data = busy}};
	struct column_file file = {.n_rows = 1001, .n_columns = 2, .columns = c};
	assert_true(column_publish(s, &file, digest, &f->e));
	const char *argv[] = {python, "tools/read_trial.py", store_path(&f->a, s, digest), NULL};
	struct proc_result r;
	assert_true(proc_run(&r, &(struct proc_options){.argv = argv, .timeout_ns = 30000000000}, &f->e));
	assert_int_equal(r.exit_status, 0);
	struct json *j = json_parse(&f->a, "read_trial", buf_view(&r.out), JSON_STRICT, &f->e);
	assert_non_null(j);
	struct summary want;
	assert_true(summary_make(&want, span, 1001, &f->a, &f->e));
	struct json *got = json_path(j, "columns.span");
	near(json_f64(got, "mean", 0), want.mean);
	near(json_f64(got, "median", 0), want.median);
	near(json_f64(got, "min", 0), want.min);
	near(json_f64(got, "max", 0), want.max);
	near(json_f64(got, "trimmed_mean", 0), want.trimmed_mean);
	near(json_f64(got, "sd", 0), want.sd);
	assert_int_equal(json_i64(json_path(j, "columns.busy"), "missing", -1), 334);
	proc_result_release(&r);
	/* and back through the program */
	struct file_map m;
	assert_true(column_open(s, &f->a, digest, &m, &f->f, &f->e));
	assert_memory_equal(column_f64(&f->f, "span"), span, sizeof(span));
	file_unmap(&m);
	assert_true(store_publish(s, "no columns", 10, digest, &f->e));
	assert_false(column_open(s, &f->a, digest, &m, &f->f, &f->e));
	store_close(s);
	assert_true(file_remove_tree(folder, &f->e));
}

/* The document of version 1 that stays readable for ever. */
static void test_version_1(void **state)
{
	struct fixture *f = *state;
	struct file_map m;
	assert_true(file_map(&m, "tests/data/formats/trial-v1.column", &f->e));
	assert_true(column_parse(&f->f, &f->a, "trial-v1", (struct str){m.p, m.n}, &f->e));
	assert_int_equal(f->f.n_rows, 3);
	assert_true(column_f64(&f->f, "span")[0] == 1.5);
	assert_true(column_find(&f->f, "side")->is_optional);
	file_unmap(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_encode_refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_headers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_independent_reader, setup, teardown),
		cmocka_unit_test_setup_teardown(test_version_1, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
