/* Memory over time: answers in closed form, changes against totals, hostile numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "read/kineto/memory.h"

struct fix {
	struct arena a;
	struct buf b;
	struct kineto_trace *t;
	struct sheet s;
};

static void begin(struct fix *f)
{
	*f = (struct fix){0};
	arena_init(&f->a);
	buf_init(&f->b);
	buf_puts(&f->b, "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"M\", \"name\": \"x\"}");
}

/* device -1: CPU; allocated -1: not written. */
static void event(struct fix *f, int device, int us, const char *bytes, int allocated)
{
	buf_printf(&f->b,
		   ",\n{\"ph\": \"i\", \"name\": \"[memory]\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"args\": {\"Device "
		   "Type\": %d, "
		   "\"Device Id\": %d, \"Bytes\": %s",
		   us, device >= 0, device, bytes);
	if (allocated >= 0)
		buf_printf(&f->b, ", \"Total Allocated\": %d, \"Total Reserved\": %d", allocated, 2 * allocated);
	buf_puts(&f->b, "}}");
}

static void end(struct fix *f)
{
	struct err e = {0};
	struct kineto_options o = {.flags = KINETO_MEMORY | KINETO_ONE_THREAD};
	buf_puts(&f->b, "]}");
	int fd = file_memfd("memory", f->b.n, &e);
	assert_true(fd >= 0 && pwrite(fd, f->b.p, f->b.n, 0) == (ssize_t)f->b.n);
	f->t = kineto_read(arena_printf(&f->a, "/proc/self/fd/%d", fd), &o, &e);
	close(fd);
	if (!f->t)
		fail_msg("%s", e.text);
	kineto_memory_sheet(&f->s, f->t, &f->a);
}

static void done(struct fix *f)
{
	kineto_free(f->t);
	buf_release(&f->b);
	arena_release(&f->a);
}

static double value(const struct fix *f, size_t row, const char *column)
{
	for (size_t c = 0; c < f->s.n_columns; c++)
		if (strcmp(f->s.columns[c].name, column) == 0)
			return f->s.cells[row * f->s.n_columns + c].has ? f->s.cells[row * f->s.n_columns + c].v : -1;
	fail_msg("no column %s", column);
	return 0;
}

/* Two devices; event k of device d at k ms allocates k + 1 bytes for even k and frees k bytes for odd k. */
static void closed_form(void **state)
{
	(void)state;
	for (int written = 0; written < 2; written++) {
		struct fix f;
		begin(&f);
		for (int device = 1; device >= 0; device--) {
			for (int k = 0, sum = 0; k <= 20; k++) {
				int change = k % 2 ? -k : k + 1;
				sum += change;
				event(&f, device, 1000 * k, arena_printf(&f.a, "%d", change), written ? 100 + sum : -1);
			}
		}
		end(&f);
		assert_int_equal(f.s.n_rows, 40); /* 20 slices of 1 ms; the last event belongs to the last one */
		for (size_t row = 0; row < 40; row++) {
			size_t k = row % 20;
			/* in all after event k: k + 1 for even k, else 0 */
			double after = (k % 2 ? 0 : (double)k + 1) + (written ? 100 : 0), more = k == 19 ? 21 : 0;
			double high = k % 2 ? (double)k + (written ? 100 : 0) : after;
			assert_true(f.s.cells[row * f.s.n_columns].text.p[0] == (row < 20 ? '0' : '1'));
			assert_true(value(&f, row, "from_ns") == 1e6 * (double)k);
			assert_true(value(&f, row, "end_bytes") == (more > 0 ? more + (written ? 100 : 0) : after));
			assert_true(value(&f, row, "most_bytes") == (more > 0 ? more + (written ? 100 : 0) : high));
			assert_true(value(&f, row, "allocations") == (k % 2 ? 0 : 1) + (more > 0 ? 1 : 0));
			assert_true(value(&f, row, "frees") == (double)(k % 2));
			assert_true(value(&f, row, "reserved_bytes") ==
				    (written ? 2 * (more > 0 ? more + 100 : after) : -1));
		}
		assert_true((strstr(f.s.note, "sum of changes") != NULL) == !written);
		done(&f);
	}
}

static void hostile(void **state)
{
	struct fix f;
	(void)state;
	begin(&f);
	event(&f, -1, 5, "9223372036854775807", -1);
	event(&f, -1, 5, "9223372036854775807", -1);
	event(&f, -1, 5, "-9223372036854775807", -1);
	event(&f, 3, 7, "\"many\"", -1);
	event(&f, 3000, 7, "1", 5);
	end(&f);
	assert_int_equal(f.s.n_rows, 3);
	assert_true(str_is(f.s.cells[0].text, "CPU"));
	assert_true(value(&f, 0, "allocations") == 2 && value(&f, 0, "frees") == 1);
	assert_true(value(&f, 1, "allocations") == 0 && value(&f, 2, "end_bytes") == 5);
	done(&f);
	begin(&f);
	end(&f);
	assert_int_equal(f.s.n_rows, 0);
	assert_non_null(strstr(f.s.note, "no allocation was recorded"));
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form), cmocka_unit_test(hostile)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
