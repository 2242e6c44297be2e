/* Where an output is wrong, in words. */
#include "measure/error_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

static struct arena a;

/* The elements of an area of a tensor of rows x columns are wrong. */
struct area {
	int64_t rows, columns;
	uint64_t row0, row1, column0, column1;
	size_t skip; /* leaves out one of so many; 0: none */
};

static const char *where(struct area x)
{
	static uint64_t bad[4096];
	size_t n = 0;
	struct op_arg shape = {
		.shape = {x.rows, x.columns}, .n_dims = x.columns > 1 ? 2 : 1, .n_elements = x.rows * x.columns};
	for (uint64_t r = x.row0; r <= x.row1; r++) {
		for (uint64_t c = x.column0; c <= x.column1; c++) {
			if (x.skip && (r * (uint64_t)x.columns + c) % x.skip == 1)
				continue;
			bad[n++] = r * (uint64_t)x.columns + c;
		}
	}
	return error_where(&a, bad, n, n, &shape);
}

static void test_where(void **state)
{
	(void)state;
	assert_string_equal(where((struct area){64, 32, 0, 63, 0, 31, 0}), "everywhere");
	assert_string_equal(where((struct area){64, 32, 0, 63, 0, 31, 1000}), "almost everywhere");
	assert_string_equal(where((struct area){4096, 1, 0, 4095, 0, 0, 2000}), "almost everywhere");
	assert_string_equal(where((struct area){64, 32, 3, 3, 5, 5, 0}), "one element");
	assert_string_equal(where((struct area){64, 32, 63, 63, 0, 31, 0}), "the last row");
	assert_string_equal(where((struct area){64, 32, 0, 63, 28, 31, 0}), "the last 4 columns");
	assert_string_equal(where((struct area){4096, 1, 4090, 4095, 0, 0, 0}), "the last 6 elements");
	assert_string_equal(where((struct area){4096, 1, 0, 4095, 0, 0, 4}), "scattered");
	assert_string_equal(where((struct area){64, 32, 0, 63, 0, 31, 2}),
			    "52 % of the elements, scattered, in the first 31 columns");
	assert_string_equal(error_where(&a, NULL, 0, 7, &(struct op_arg){.n_elements = 9}), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_where)};
	arena_init(&a);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	arena_release(&a);
	return rc;
}
