/* Watching a worker from outside: memory, processes, what it leaves behind. Everything comes from /proc. */
#ifndef ASSAY_RUN_WATCH_H
#define ASSAY_RUN_WATCH_H

#include "base/attr.h"

struct watch_census {
	uint32_t n_processes; /* of the group */
	uint32_t n_threads;
	uint64_t memory_bytes; /* RssAnon + RssShmem + VmSwap over the group */
	uint64_t shared_bytes; /* RssShmem alone */
};
/* Looks at every process of the group `pgid` or of session `pgid`. False when none is left. */
bool watch_group(int pgid, struct watch_census *out);
/* One process only, cheaper. False when it is gone. */
bool watch_process(int pid, struct watch_census *out);
uint64_t watch_memory_files(int pid); /* bytes in memory files that the process has open: no map need count them */
/* Bytes of the files in a folder and below, its first 16,384 entries. */
uint64_t watch_folder_bytes(const char *path);
/* CPU time of the whole process so far, of threads that ended too, by the kernel's own account. -1: gone or refused. */
int64_t watch_cpu_ns(int pid);
/* CPU time of each thread so far, by tid; n 0 where the kernel does not tell. */
enum { WATCH_MAX_THREADS = 1024 };
struct watch_threads {
	size_t n;
	struct {
		int tid;
		int64_t ns;
	} v[WATCH_MAX_THREADS];
};
void watch_threads(struct watch_threads *out, int pid);
/* Threads of `after` that ran between: each for at least a tenth of what the busiest ran. 0: not known. */
size_t watch_busy_threads(const struct watch_threads *before, const struct watch_threads *after);
uint32_t watch_runnable(int pid); /* threads that run or want to, by the kernel's word, in this instant */
/* SIGSTOP to every process of the group, and waits until its leader, a child of ours, stands still (1 s at most). False:
 * it ended, or does not stop (a call into a driver). Nothing in the group runs until watch_continue. */
MUST_USE bool watch_stop(int pgid);
void watch_continue(int pgid);
uint64_t watch_memory_available(void); /* MemAvailable of /proc/meminfo; UINT64_MAX when unknown */
/* Kills by the kernel's out-of-memory killer so far: of our control group where its counter can be read, else of the whole
 * machine. A counter that moved while a worker ended by SIGKILL that nobody sent says why. UINT64_MAX when unknown. */
uint64_t watch_oom_kills(void);

/* Makes this process the one that inherits orphans of its descendants. False and errno when refused. */
bool watch_become_subreaper(void);
/* Kills (SIGKILL) and reaps every child of this process that is not in keep[], repeatedly until none is left or 2 s have
 * passed: a worker's children that left its group and session end here. keep[] must name every child whose exit status
 * somebody still wants. Returns how many were reaped. */
size_t watch_end_strays(const int *keep, size_t n_keep);

#endif
