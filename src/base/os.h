/* The machine that assay runs on, from /proc, /sys and uname. */
#ifndef ASSAY_BASE_OS_H
#define ASSAY_BASE_OS_H

#include "base/arena.h"

struct os {
	const char *os;              /* "Debian GNU/Linux 12 (bookworm)" */
	const char *kernel;          /* "Linux 6.1.0-18-amd64" */
	const char *arch;            /* "x86_64" */
	const char *cpu;             /* model name */
	const char *container;       /* "docker", "podman", "kubernetes" where one of them left its mark; else NULL */
	size_t n_usable, n_online;   /* CPUs of this process, of the machine */
	uint64_t memory_bytes;       /* 0: unknown */
	uint64_t available_bytes;    /* what a new process can have without swapping; 0: unknown */
	uint64_t memory_limit_bytes; /* of the cgroup; 0: none seen */
	bool has_perf_paranoid;
	int64_t perf_paranoid; /* /proc/sys/kernel/perf_event_paranoid */
};
/* What cannot be read is "unknown" or 0. Strings live in the arena. */
void os_read(struct os *out, struct arena *a);
const char *os_cpu(struct arena *a); /* os.cpu alone */

#endif
