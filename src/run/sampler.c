/* The sampler: helper process and the parent's side of it.
 * In: a GPU's UUID or none. Out: samples in memory that both share.
 * The helper appends to a ring and counts up; the parent copies what is new. Nobody waits for the other.
 * Never: changes anything on the device. */
#include "run/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "run/worker.h"
#include "wire/link.h"

enum { RING = 16384 }; /* 54 minutes; older samples of the helper are then lost, and the gap is seen */

struct shared {
	_Atomic uint64_t n; /* samples written so far */
	struct sampler_sample ring[RING];
};
struct eye { /* what takes a sample, in either process */
	struct nvml nvml;
	void *device; /* NULL: no GPU is watched */
	int parent;
	unsigned foreign[GPU_SAMPLE_MAX_PROCESSES]; /* on the GPU before any of ours was */
	size_t n_foreign;
	unsigned long long seen_us; /* of process utilisation */
	bool has_begun;
};
struct sampler {
	struct worker *helper;
	struct shared *shared;
	struct eye eye;
	struct buf all;    /* struct sampler_sample, in order of time */
	uint64_t n_copied; /* of the ring */
};

static bool eye_open(struct eye *x, const char *gpu, int parent, struct err *e)
{
	*x = (struct eye){.parent = parent};
	if (!gpu || !*gpu)
		return true;
	if (!nvml_open(&x->nvml, e))
		return false;
	if (nvml_check(&x->nvml, x->nvml.by_uuid(gpu, &x->device), "nvmlDeviceGetHandleByUUID", e))
		return true;
	nvml_release(&x->nvml);
	return false;
}

static bool is_in(unsigned pid, const int *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i] == (int)pid)
			return true;
	}
	return false;
}

static bool is_foreign(const struct eye *x, unsigned pid, const int *children, const struct sampler_sample *s)
{
	for (size_t i = 0; i < x->n_foreign; i++) {
		if (x->foreign[i] == pid)
			return true;
	}
	return s->n_ours > 0 && !is_in(pid, children, s->load.n_children);
}

static void look_at_use(struct eye *x, struct sampler_sample *s, const int *children)
{
	struct nvml_process_use use[GPU_SAMPLE_MAX_PROCESSES];
	unsigned n = GPU_SAMPLE_MAX_PROCESSES, most = 0;
	s->foreign_sm_pct = -1;
	if (!x->nvml.process_utilization || x->nvml.process_utilization(x->device, use, &n, x->seen_us) != 0)
		return;
	for (unsigned i = 0; i < n && i < GPU_SAMPLE_MAX_PROCESSES; i++) {
		if (use[i].time_us > x->seen_us)
			x->seen_us = use[i].time_us;
		if (use[i].sm_pct <= 100 && use[i].sm_pct > most && is_foreign(x, use[i].pid, children, s))
			most = use[i].sm_pct;
	}
	s->foreign_sm_pct = (int32_t)most;
}

static void look_at_gpu(struct eye *x, struct sampler_sample *s, const int *children)
{
	struct gpu_sample g;
	gpu_sample(&g, &x->nvml, x->device);
	s->gpu_has = g.has;
	s->sm_mhz = g.sm_mhz;
	s->memory_mhz = g.memory_mhz;
	s->temperature_c = g.temperature_c;
	s->power_mw = g.power_mw;
	s->utilization_pct = g.utilization_pct;
	s->reasons = g.reasons;
	s->memory_used_bytes = g.memory_used_bytes;
	s->n_processes = (uint32_t)g.n_processes;
	size_t n = g.n_processes < GPU_SAMPLE_MAX_PROCESSES ? g.n_processes : GPU_SAMPLE_MAX_PROCESSES;
	for (size_t i = 0; i < n; i++)
		s->n_ours += is_in(g.pid[i], children, s->load.n_children);
	if (!x->has_begun) { /* whoever is there now is not ours */
		x->n_foreign = n;
		memcpy(x->foreign, g.pid, n * sizeof(*x->foreign));
	}
	look_at_use(x, s, children);
}

static void eye_look(struct eye *x, struct sampler_sample *s, enum sampler_by by)
{
	int children[LOAD_MAX_CHILDREN];
	*s = (struct sampler_sample){.by = by, .foreign_sm_pct = -1};
	int64_t begin = clock_ns();
	if (!load_read(&s->load, x->parent, children))
		s->load.n_cpus = 0;
	if (x->device)
		look_at_gpu(x, s, children);
	x->has_begun = true;
	s->t_ns = begin + (clock_ns() - begin) / 2;
}

/* ---- the helper */

static bool serve(struct link *link, struct err *e)
{
	struct wire_message m, ready = {.type = WIRE_TYPE_READY};
	struct eye eye;
	char gpu[128];
	int fd = -1;
	if (link_receive(link, &m, &fd, 0, e) != LINK_OK || m.type != WIRE_TYPE_OPEN || fd < 0)
		return err_set(e, ERR_PROTOCOL, "the sampler wants OPEN with its memory first");
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (shared == MAP_FAILED)
		return err_errno(e, ERR_SYSTEM, errno, "mapping the samples");
	snprintf(gpu, sizeof(gpu), "%.*s", STR_ARG(m.u.open.backend));
	if (!eye_open(&eye, gpu, (int)getppid(), e))
		return false;
	ready.u.ready.facts = STR("{}");
	if (!link_send(link, &ready, -1, e))
		return false;
	for (uint64_t i = 0;; i++) {
		struct pollfd p = {link->fd, POLLIN, 0};
		eye_look(&eye, &shared->ring[i % RING], SAMPLER_HELPER);
		atomic_store(&shared->n, i + 1);
		int64_t period = i < SAMPLER_N_FIRST ? SAMPLER_FIRST_NS : SAMPLER_PERIOD_NS;
		if (poll(&p, 1, (int)(period / 1000000)) > 0)
			return true; /* BYE, or the parent is gone */
	}
}

int sampler_main(int link_fd)
{
	struct link link;
	struct err e = {ERR_NONE, ""};
	link_init(&link, link_fd, "parent");
	fcntl(link_fd, F_SETFD, FD_CLOEXEC);
	struct wire_message hello = {.type = WIRE_TYPE_HELLO};
	hello.u.hello = (struct wire_hello){WIRE_VERSION, STR("sampler"), (uint64_t)getpid()};
	bool ok = link_send(&link, &hello, -1, &e) && serve(&link, &e);
	if (!ok)
		fprintf(stderr, "assay sampler: %s\n", e.text);
	_exit(ok ? 0 : 4);
}

/* ---- the parent */

static bool open_helper(struct sampler *s, const struct sampler_options *o, struct err *e)
{
	static const char *const args[] = {"sampler", NULL};
	struct worker_options w = {.program = o->program, .args = args, .name = "sampler", .folder = o->folder};
	int fd = file_memfd("samples", sizeof(*s->shared), e);
	if (fd < 0)
		return false;
	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s->shared == MAP_FAILED) {
		s->shared = NULL;
		close(fd);
		return err_errno(e, ERR_SYSTEM, errno, "mapping the samples");
	}
	s->helper = worker_start(&w, e);
	struct wire_message open = {.type = WIRE_TYPE_OPEN}, answer;
	open.u.open.backend = str_from(o->gpu);
	struct worker_question q = {.message = &open, .fd = fd, .expect = WIRE_TYPE_READY, .timeout_ns = 30000000000};
	enum ask_result r = s->helper ? worker_ask(s->helper, &q, &answer, e) : ASK_ERR;
	close(fd);
	if (r == ASK_FAULT)
		err_set(e, ERR_SYSTEM, "the sampler: %s", worker_fault(s->helper)->text);
	return r == ASK_OK;
}

struct sampler *sampler_start(const struct sampler_options *o, struct err *e)
{
	struct sampler *s = calloc(1, sizeof(*s));
	if (!s)
		BUG("out of memory");
	buf_init(&s->all);
	if (eye_open(&s->eye, o->gpu, (int)getpid(), e) && open_helper(s, o, e)) {
		sampler_take(s);
		return s;
	}
	sampler_free(s);
	return NULL;
}

/* Keeps the order of time: the helper's samples arrive late by a period at most. */
static void insert(struct sampler *s, const struct sampler_sample *x)
{
	size_t at = s->all.n / sizeof(*x);
	buf_add(&s->all, x, sizeof(*x));
	struct sampler_sample *all = (void *)s->all.p;
	for (; at > 0 && all[at - 1].t_ns > x->t_ns; at--)
		all[at] = all[at - 1];
	all[at] = *x;
}

static void fetch(struct sampler *s)
{
	uint64_t n = atomic_load(&s->shared->n);
	if (n - s->n_copied > RING / 2)
		s->n_copied = n - RING / 2;
	for (; s->n_copied < n; s->n_copied++)
		insert(s, &s->shared->ring[s->n_copied % RING]);
}

/* The state letter of /proc/PID/stat, behind the name in parentheses. */
static bool is_running(int pid)
{
	char path[64], text[512];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] != 'Z' && end[2] != 'X';
}

int sampler_pid(const struct sampler *s)
{
	return s->helper ? worker_pid(s->helper) : -1;
}

bool sampler_is_there(const struct sampler *s)
{
	return s->helper && is_running(worker_pid(s->helper));
}

bool sampler_stop(struct sampler *s)
{
	bool is_there = sampler_is_there(s);
	fetch(s);
	worker_free(s->helper);
	s->helper = NULL;
	return is_there;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	worker_free(s->helper);
	if (s->shared)
		munmap(s->shared, sizeof(*s->shared));
	nvml_release(&s->eye.nvml);
	buf_release(&s->all);
	free(s);
}

void sampler_take(struct sampler *s)
{
	struct sampler_sample x;
	eye_look(&s->eye, &x, SAMPLER_PARENT);
	fetch(s);
	insert(s, &x);
}

const struct sampler_sample *sampler_samples(struct sampler *s, size_t *n)
{
	fetch(s);
	*n = s->all.n / sizeof(struct sampler_sample);
	return (const void *)s->all.p;
}
