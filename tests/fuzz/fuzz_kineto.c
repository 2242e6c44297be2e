/* Any bytes as a trace, plain or compressed, on one thread: never crashes; sums over rows are the sums over activities. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "read/kineto/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void check(const struct kineto_trace *t, struct arena *a)
{
	struct kineto_rows rows;
	int64_t total = 0;
	kineto_by_kernel(&rows, a, t);
	for (size_t i = 0; i < rows.n; i++)
		total += rows.v[i].total_ns;
	if (total != rows.total_ns || rows.n_left)
		BUG("rows do not add up");
	(void)kineto_json(t, a, 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct err e = {0};
	struct kineto_options o = {.flags = KINETO_ONE_THREAD};
	int fd = file_memfd("fuzz", n, &e);
	if (fd < 0 || (n && pwrite(fd, p, n, 0) != (ssize_t)n))
		return 0;
	arena_init(&a);
	const char *path = arena_printf(&a, "/proc/self/fd/%d", fd);
	struct kineto_trace *t = kineto_read(path, &o, &e);
	if (t)
		check(t, &a);
	else if (e.code == ERR_NONE || strchr(e.text, '\n'))
		BUG("refused without a line");
	kineto_free(t);
	arena_release(&a);
	close(fd);
	return 0;
}
