/* Unit tests of base/pool; ThreadSanitizer runs them too.
 * In: counts. Out: cmocka's report.
 * Never: asserts how the work was shared out. */
#include "base/pool.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <cmocka.h>

struct work {
	atomic_int done[1000];
	atomic_size_t sum;
};

static void once(void *ctx, size_t i)
{
	struct work *w = ctx;
	atomic_fetch_add(&w->done[i], 1);
	atomic_fetch_add(&w->sum, i);
}

static size_t n_threads_now(void)
{
	size_t n = 0;
	DIR *d = opendir("/proc/self/task");
	assert_non_null(d);
	for (const struct dirent *at = readdir(d); at; at = readdir(d))
		n += at->d_name[0] != '.';
	closedir(d);
	return n;
}

static void each_index_once(void **state)
{
	(void)state;
	static const size_t counts[] = {0, 1, 2, 7, 1000}, threads[] = {0, 1, 2, 3, 64, 500};
	struct work first = {0};
	pool_for(2, 2, once, &first); /* a sanitizer may start a thread of its own with our first one */
	size_t before = n_threads_now();
	for (size_t c = 0; c < COUNT_OF(counts); c++) {
		for (size_t t = 0; t < COUNT_OF(threads); t++) {
			struct work w = {0};
			pool_for(counts[c], threads[t], once, &w);
			for (size_t i = 0; i < COUNT_OF(w.done); i++)
				assert_int_equal(w.done[i], i < counts[c]);
			assert_int_equal(w.sum, counts[c] * (counts[c] - (counts[c] > 0)) / 2);
			assert_int_equal(n_threads_now(), before); /* none is left */
		}
	}
	assert_true(pool_n_cpus() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_index_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
