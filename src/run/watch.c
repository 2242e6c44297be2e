/* Watching a worker from outside.
 * In: process numbers. Out: memory, counts, ended strays.
 * /proc is read with the small calls; a process that ends meanwhile counts as gone.
 * Never: believes what the worker says. */
#include "run/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static bool read_small(const char *path, char *out, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, out, cap - 1);
	close(fd);
	if (n <= 0)
		return false;
	out[n] = 0;
	return true;
}

static uint64_t kib_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

bool watch_process(int pid, struct watch_census *out)
{
	char path[64], text[8192];
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (!read_small(path, text, sizeof(text)) || strstr(text, "\nState:\tZ"))
		return false;
	const char *threads = strstr(text, "\nThreads:");
	*out = (struct watch_census){
		.n_processes = 1,
		.n_threads = threads ? (uint32_t)strtoul(threads + 9, NULL, 10) : 1,
		.memory_bytes =
			kib_after(text, "\nRssAnon:") + kib_after(text, "\nRssShmem:") + kib_after(text, "\nVmSwap:"),
		.shared_bytes = kib_after(text, "\nRssShmem:"),
	};
	return true;
}

/* Parent, group and session of a process: fields 4 to 6 of its stat. State Z counts as gone. */
static bool read_stat(int pid, int out[3])
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (!read_small(path, text, sizeof(text)))
		return false;
	const char *p = strrchr(text, ')'); /* the name may hold anything */
	if (!p || p[1] != ' ' || p[2] == 'Z' || p[2] == 0)
		return false;
	char *at;
	out[0] = (int)strtol(p + 3, &at, 10);
	out[1] = (int)strtol(at, &at, 10);
	out[2] = (int)strtol(at, &at, 10);
	return true;
}

/* The next process number in /proc; 0 at the end. */
static int next_pid(DIR *d)
{
	for (struct dirent *at = readdir(d); at; at = readdir(d)) {
		if (at->d_name[0] >= '1' && at->d_name[0] <= '9')
			return (int)strtol(at->d_name, NULL, 10);
	}
	return 0;
}

bool watch_group(int pgid, struct watch_census *out)
{
	*out = (struct watch_census){0};
	DIR *d = opendir("/proc");
	if (!d)
		return false;
	for (int pid = next_pid(d); pid; pid = next_pid(d)) {
		int ids[3];
		struct watch_census one;
		if (!read_stat(pid, ids) || (ids[1] != pgid && ids[2] != pgid) || !watch_process(pid, &one))
			continue;
		out->n_processes++;
		out->n_threads += one.n_threads;
		out->memory_bytes += one.memory_bytes;
		out->shared_bytes += one.shared_bytes;
	}
	closedir(d);
	return out->n_processes > 0;
}

uint64_t watch_memory_files(int pid)
{
	char path[64], name[96], to[16];
	uint64_t bytes = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *d = opendir(path);
	for (struct dirent *at = d ? readdir(d) : NULL; at; at = readdir(d)) {
		struct stat st;
		snprintf(name, sizeof(name), "%s/%.20s", path, at->d_name);
		ssize_t n = readlink(name, to, sizeof(to));
		if (n > 7 && strncmp(to, "/memfd:", 7) == 0 && stat(name, &st) == 0)
			bytes += (uint64_t)st.st_blocks * 512;
	}
	if (d)
		closedir(d);
	return bytes;
}

static uint64_t add_folder(int at, const char *name, size_t *n_left)
{
	uint64_t bytes = 0;
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *p = d ? readdir(d) : NULL; p && *n_left > 0; p = readdir(d)) {
		struct stat st;
		if (strcmp(p->d_name, ".") == 0 || strcmp(p->d_name, "..") == 0)
			continue;
		(*n_left)--;
		if (fstatat(fd, p->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISDIR(st.st_mode))
			bytes += add_folder(fd, p->d_name, n_left);
		else
			bytes += (uint64_t)st.st_blocks * 512;
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return bytes;
}

uint64_t watch_folder_bytes(const char *path)
{
	size_t n_left = 16384;
	return add_folder(AT_FDCWD, path, &n_left);
}

int64_t watch_cpu_ns(int pid)
{
	clockid_t clock;
	struct timespec t;
	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return -1;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void watch_threads(struct watch_threads *out, int pid)
{
	char path[64], name[96], text[128];
	out->n = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *d = opendir(path);
	for (int tid = d ? next_pid(d) : 0; tid && out->n < WATCH_MAX_THREADS; tid = next_pid(d)) {
		snprintf(name, sizeof(name), "%s/%d/schedstat", path, tid);
		if (!read_small(name, text, sizeof(text)))
			continue;
		out->v[out->n].tid = tid;
		out->v[out->n++].ns = strtoll(text, NULL, 10);
	}
	if (d)
		closedir(d);
}

static int64_t time_of(const struct watch_threads *x, int tid)
{
	for (size_t i = 0; i < x->n; i++) {
		if (x->v[i].tid == tid)
			return x->v[i].ns;
	}
	return 0; /* it began since */
}

size_t watch_busy_threads(const struct watch_threads *before, const struct watch_threads *after)
{
	int64_t most = 0;
	size_t n = 0;
	for (size_t i = 0; i < after->n; i++) {
		int64_t ran = after->v[i].ns - time_of(before, after->v[i].tid);
		most = ran > most ? ran : most;
	}
	for (size_t i = 0; i < after->n && most > 0; i++)
		n += after->v[i].ns - time_of(before, after->v[i].tid) >= most / 10;
	return n;
}

uint32_t watch_runnable(int pid)
{
	char path[64], name[96], text[512];
	uint32_t n = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *d = opendir(path);
	for (int tid = d ? next_pid(d) : 0; tid; tid = next_pid(d)) {
		snprintf(name, sizeof(name), "%s/%d/stat", path, tid);
		const char *end = read_small(name, text, sizeof(text)) ? strrchr(text, ')') : NULL;
		n += end && end[1] == ' ' && end[2] == 'R';
	}
	if (d)
		closedir(d);
	return n;
}

bool watch_stop(int pgid)
{
	int64_t deadline = clock_ns() + 1000000000;
	if (kill(-pgid, SIGSTOP) != 0)
		return false;
	for (;;) {
		siginfo_t info = {0};
		/* WNOWAIT: how it ended stays for who wants to know */
		if (waitid(P_PID, (id_t)pgid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) != 0)
			return false;
		if (info.si_pid == pgid)
			return info.si_code == CLD_STOPPED;
		if (clock_ns() > deadline) {
			watch_continue(pgid);
			return false;
		}
		clock_sleep_ns(20000);
	}
}

void watch_continue(int pgid)
{
	kill(-pgid, SIGCONT);
}

uint64_t watch_memory_available(void)
{
	char text[4096];
	if (!read_small("/proc/meminfo", text, sizeof(text)) || !strstr(text, "\nMemAvailable:"))
		return UINT64_MAX;
	return kib_after(text, "\nMemAvailable:");
}

/* "oom_kill N" at the beginning of a line. */
static bool oom_count(const char *path, uint64_t *out)
{
	char text[16384];
	if (!read_small(path, text, sizeof(text)))
		return false;
	static const char name[] = "oom_kill ";
	const size_t n = sizeof(name) - 1;
	const char *at = text;
	while (at && strncmp(at, name, n) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (at)
		*out = strtoull(at + n, NULL, 10);
	return at != NULL;
}

uint64_t watch_oom_kills(void)
{
	char group[1024], path[1200];
	uint64_t n;
	if (read_small("/proc/self/cgroup", group, sizeof(group)) && strncmp(group, "0::/", 4) == 0) { /* version 2 */
		group[strcspn(group, "\n")] = 0;
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.events", group + 3);
		if (oom_count(path, &n))
			return n;
	}
	return oom_count("/proc/vmstat", &n) ? n : UINT64_MAX;
}

bool watch_become_subreaper(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

static bool is_kept(int pid, const int *keep, size_t n_keep)
{
	for (size_t i = 0; i < n_keep; i++) {
		if (keep[i] == pid)
			return true;
	}
	return false;
}

/* One round over our children: SIGKILL to each stray that lives, and every ghost taken. */
static void kill_round(const int *keep, size_t n_keep, size_t *n_alive, size_t *n_reaped)
{
	DIR *d = opendir("/proc");
	int own = (int)getpid();
	*n_alive = 0;
	if (!d)
		return;
	for (int pid = next_pid(d); pid; pid = next_pid(d)) {
		int ids[3];
		if (is_kept(pid, keep, n_keep))
			continue;
		bool lives = read_stat(pid, ids);
		if (lives && ids[0] != own)
			continue;
		if (lives && kill(pid, SIGKILL) == 0)
			(*n_alive)++;
		if (waitpid(pid, NULL, WNOHANG) == pid) /* ECHILD for a ghost that is not ours */
			(*n_reaped)++;
	}
	closedir(d);
}

size_t watch_end_strays(const int *keep, size_t n_keep)
{
	int64_t deadline = clock_ns() + 2000000000;
	size_t n_reaped = 0, n_alive = 1;
	/* A stray's own children become ours when it dies: a round that finds none alive ends it. */
	while (n_alive && clock_ns() < deadline) {
		kill_round(keep, n_keep, &n_alive, &n_reaped);
		if (n_alive)
			clock_sleep_ns(1000000);
	}
	return n_reaped;
}
