/* Tables of a trace: percentiles against a plain sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "read/kineto/table.h"

static int by_value(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

static void percentiles(void **state)
{
	(void)state;
	struct buf b;
	struct arena a;
	struct err e;
	char path[] = "/tmp/assay-table-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	arena_init(&a);
	struct kineto_rows rows;
	for (int64_t n = 1; n < 300; n += 37) {
		int64_t v[300];
		buf_init(&b);
		buf_puts(&b, "[");
		for (int64_t i = 0; i < n; i++) {
			v[i] = i * 7919 % 101;
			buf_printf(&b, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":%lld,\"dur\":0.%03lld},",
				   (long long)i + 1, (long long)v[i]);
		}
		buf_puts(&b, "]");
		assert_true(file_write(path, b.p, b.n, &e));
		struct kineto_trace *t = kineto_read(path, NULL, &e);
		assert_non_null(t);
		qsort(v, (size_t)n, sizeof *v, by_value);
		kineto_by_kernel(&rows, &a, t);
		assert_int_equal(rows.v[0].p50_ns, v[(n + 1) / 2 - 1]);
		assert_int_equal(rows.v[0].p99_ns, v[(n * 99 + 99) / 100 - 1]);
		assert_true(rows.v[0].min_ns == v[0] && rows.v[0].max_ns == v[n - 1]);
		kineto_free(t);
		buf_release(&b);
	}
	arena_release(&a);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
