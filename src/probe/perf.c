/* perf_event counters of the calling thread.
 * In: start and stop around calls. Out: sums per counter, or why there is none.
 * Each counter has its own descriptor; times enabled and running correct for multiplexing.
 * Never: fails a measurement for want of a counter. */
#include "probe/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} counters[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache_references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"task_clock_ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"context_switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
};
struct perf {
	int fd[COUNT_OF(counters)];
	int refused[COUNT_OF(counters)]; /* errno */
	uint64_t n_calls;
};

struct perf *perf_open(void)
{
	struct perf *p = calloc(1, sizeof(*p));
	if (!p)
		BUG("out of memory");
	for (size_t i = 0; i < COUNT_OF(counters); i++) {
		struct perf_event_attr a = {.type = counters[i].type,
					    .size = sizeof(a),
					    .config = counters[i].config,
					    .disabled = 1,
					    .exclude_kernel = 1,
					    .exclude_hv = 1,
					    .read_format =
						    PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
		if (counters[i].type == PERF_TYPE_SOFTWARE)
			a.exclude_kernel = 0;
		p->fd[i] = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		p->refused[i] = p->fd[i] < 0 ? errno : 0;
	}
	return p;
}

static void switch_all(const struct perf *p, unsigned long request)
{
	for (size_t i = 0; i < COUNT_OF(counters); i++) {
		if (p->fd[i] >= 0)
			ioctl(p->fd[i], request, 0);
	}
}

void perf_start(struct perf *p)
{
	p->n_calls++;
	switch_all(p, PERF_EVENT_IOC_ENABLE);
}

void perf_stop(struct perf *p)
{
	switch_all(p, PERF_EVENT_IOC_DISABLE);
}

void perf_write(struct perf *p, struct buf *out)
{
	buf_printf(out, "{\"calls\":%llu,\"counters\":{", (unsigned long long)p->n_calls);
	const char *comma = "";
	for (size_t i = 0; i < COUNT_OF(counters); i++) {
		uint64_t v[3];
		if (p->fd[i] < 0 || read(p->fd[i], v, sizeof(v)) != (ssize_t)sizeof(v) || (v[1] && !v[2]))
			continue;
		double scaled = v[2] && v[2] < v[1] ? (double)v[0] * (double)v[1] / (double)v[2] : (double)v[0];
		buf_printf(out, "%s\"%s\":%.0f", comma, counters[i].name, scaled);
		comma = ",";
	}
	buf_puts(out, "},\"refused\":{");
	comma = "";
	for (size_t i = 0; i < COUNT_OF(counters); i++) {
		if (p->refused[i])
			buf_printf(out, "%s\"%s\":\"%s\"", comma, counters[i].name, strerror(p->refused[i]));
		if (p->refused[i])
			comma = ",";
	}
	buf_puts(out, "}}");
}

void perf_free(struct perf *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < COUNT_OF(counters); i++) {
		if (p->fd[i] >= 0)
			close(p->fd[i]);
	}
	free(p);
}
