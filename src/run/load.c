/* Processor time from /proc.
 * In: a process id. Out: cumulative times.
 * The process is read before its children: one that is reaped between the two is missing once and never counted twice.
 * Never: waits, allocates. */
#include "run/load.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <unistd.h>

#include "base/str.h"

enum { TEXT_BYTES = 65536 };

static struct str read_text(char *text, const char *path)
{
	size_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (struct str){text, 0};
	for (ssize_t got = 1; got > 0 && n<TEXT_BYTES - 1; n += got> 0 ? (size_t)got : 0)
		got = read(fd, text + n, TEXT_BYTES - 1 - n);
	close(fd);
	text[n] = '\0';
	return (struct str){text, n};
}

static int64_t ticks_ns(uint64_t ticks)
{
	static long per_second;
	if (!per_second)
		per_second = sysconf(_SC_CLK_TCK);
	return (int64_t)(ticks * (UINT64_C(1000000000) / (uint64_t)(per_second > 0 ? per_second : 100)));
}

/* Takes the next number off a line of numbers; 0 at its end. */
static uint64_t next_number(struct str *line)
{
	uint64_t v = 0;
	struct str word = STR("");
	while (word.n == 0 && str_split(line, ' ', &word))
		continue;
	return str_u64(word, &v) ? v : 0;
}

/* "cpu3 user nice system idle iowait irq softirq steal ..." */
static void add_cpu(struct load *out, struct str line, const cpu_set_t *allowed)
{
	struct str name;
	uint64_t cpu, v[8];
	if (!str_split(&line, ' ', &name) || name.n < 4 || !str_u64(str_sub(name, 3, SIZE_MAX), &cpu))
		return;
	if (cpu >= CPU_SETSIZE || !CPU_ISSET((size_t)cpu, allowed))
		return;
	for (size_t i = 0; i < COUNT_OF(v); i++)
		v[i] = next_number(&line);
	out->busy_ns += ticks_ns(v[0] + v[1] + v[2] + v[5] + v[6]);
	out->idle_ns += ticks_ns(v[3] + v[4]);
	out->steal_ns += ticks_ns(v[7]);
	out->n_cpus++;
}

static bool read_cpus(struct load *out, char *text)
{
	cpu_set_t allowed;
	struct str all = read_text(text, "/proc/stat"), line;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		memset(&allowed, 0xff, sizeof(allowed));
	while (str_split(&all, '\n', &line) && str_starts(line, "cpu"))
		add_cpu(out, line, &allowed);
	return out->n_cpus > 0;
}

/* utime, stime, cutime, cstime: fields 14 to 17, counted behind the name in parentheses, which may hold anything. */
static int64_t time_of(int pid, char *text)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	struct str s = read_text(text, path);
	size_t end = s.n;
	while (end > 0 && s.p[end - 1] != ')')
		end--;
	struct str rest = str_sub(s, end, SIZE_MAX), word;
	uint64_t ticks = 0;
	for (int field = 2; str_split(&rest, ' ', &word) && field < 17; field++) { /* the first word is empty */
		uint64_t v = 0;
		if (field >= 13 && str_u64(str_trim(word), &v))
			ticks += v;
	}
	return ticks_ns(ticks);
}

static uint32_t children_of(int pid, char *text, int *out)
{
	char path[64];
	uint32_t n = 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	struct str s = read_text(text, path), word;
	while (n < LOAD_MAX_CHILDREN && str_split(&s, ' ', &word)) {
		int64_t child = 0;
		if (str_i64(str_trim(word), &child))
			out[n++] = (int)child;
	}
	return n;
}

/* Children, and theirs: a driver is often behind a shell. */
static uint32_t descendants_of(int pid, char *text, int *out)
{
	uint32_t n = children_of(pid, text, out);
	for (uint32_t i = 0; i < n; i++) {
		int below[LOAD_MAX_CHILDREN];
		uint32_t k = children_of(out[i], text, below);
		for (uint32_t m = 0; m < k && n < LOAD_MAX_CHILDREN; m++)
			out[n++] = below[m];
	}
	return n;
}

static int64_t read_throttled(char *text)
{
	struct str all = read_text(text, "/sys/fs/cgroup/cpu.stat"), line;
	while (str_split(&all, '\n', &line)) {
		struct str key;
		uint64_t us = 0;
		if (str_split(&line, ' ', &key) && str_is(key, "throttled_usec") && str_u64(str_trim(line), &us))
			return (int64_t)(us * 1000);
	}
	return 0;
}

bool load_read(struct load *out, int pid, int *children)
{
	char text[TEXT_BYTES];
	int own[LOAD_MAX_CHILDREN] = {0};
	*out = (struct load){.load1 = NAN};
	if (!read_cpus(out, text))
		return false;
	out->own_ns = time_of(pid, text);
	out->n_children = descendants_of(pid, text, own);
	for (uint32_t i = 0; i < out->n_children; i++)
		out->own_ns += time_of(own[i], text);
	if (children)
		memcpy(children, own, sizeof(own));
	out->throttled_ns = read_throttled(text);
	struct str line = read_text(text, "/proc/loadavg"), first;
	if (str_split(&line, ' ', &first) && !str_f64(first, &out->load1))
		out->load1 = NAN;
	return true;
}
