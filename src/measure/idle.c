/* Looks at an idle worker.
 * In: a worker that has answered. Out: checks.
 * It stands still while its outputs are hashed, runs for some milliseconds without a question, and is looked at again.
 * Never: asks the worker. */
#include "measure/idle.h"

#include "base/clock.h"
#include "base/file.h"
#include "measure/lab_data.h"
#include "run/keeper.h"
#include "run/maps.h"
#include "run/watch.h"

/* Threads of OpenMP and the like look for more work for some milliseconds before they sleep: first they get GRACE, then up
 * to ROUNDS windows, the last of which counts. An honest worker sleeps in its link: 0.00 CPUs were seen. Where others keep
 * the CPUs busy a thread that wants one gets little of it; that it wants one the kernel says too. */
static const int64_t IDLE_GRACE_NS = 5000000, IDLE_STEP_NS = 1500000;
enum { IDLE_ROUNDS = 12, IDLE_STEPS = 10, IDLE_MAX_SLOTS = 4 };
static const double IDLE_CPUS = 0.03, IDLE_WANTED = 0.35;

static bool hash_outputs(struct lab *l, size_t n_slots, uint64_t *out, struct err *e)
{
	const struct layout *y = lab_layout(l);
	uint64_t sum = 0;
	for (size_t s = 0; s < n_slots; s++) {
		for (size_t i = 0; i < y->n_tensors; i++) {
			uint64_t one = 0;
			if (!layout_is_output(y, i))
				continue;
			if (!keeper_hash(lab_keeper(l), s, i, &one, e))
				return false;
			sum = sum * 0x9e3779b97f4a7c15u + one;
		}
	}
	*out = sum;
	return true;
}

struct idle_seen {     /* of the last window */
	double cpus;   /* used */
	double wanted; /* share of the looks in which a thread ran or wanted to */
	size_t n_windows;
	bool is_known;
};

static bool is_busy(const struct idle_seen *s)
{
	return s->is_known && (s->cpus >= IDLE_CPUS || s->wanted >= IDLE_WANTED);
}

static struct idle_seen watch_idle(int pid)
{
	struct idle_seen s = {.is_known = true};
	clock_sleep_ns(IDLE_GRACE_NS);
	while (s.n_windows < IDLE_ROUNDS) {
		int64_t cpu = watch_cpu_ns(pid), begin = clock_ns();
		size_t n_wanted = 0;
		for (size_t i = 0; i < IDLE_STEPS; i++) {
			clock_sleep_ns(IDLE_STEP_NS);
			n_wanted += watch_runnable(pid) > 0;
		}
		int64_t used = watch_cpu_ns(pid) - cpu, passed = clock_ns() - begin;
		s.is_known = cpu >= 0 && used >= 0;
		s.cpus = (double)used / (double)passed;
		s.wanted = (double)n_wanted / IDLE_STEPS;
		s.n_windows++;
		if (!is_busy(&s))
			break;
	}
	return s;
}

static void add_cpu(struct integrity *g, const struct idle_seen *s)
{
	struct json *j = json_object(g->arena);
	json_set_f64(j, "cpus_used", s->cpus);
	json_set_f64(j, "share_runnable", s->wanted);
	json_set_u64(j, "n_windows", s->n_windows);
	json_set_i64(j, "window_ns", IDLE_STEPS * IDLE_STEP_NS);
	struct integrity_check c = {.name = "idle_cpu_time",
				    .state = !s->is_known ? INTEGRITY_UNAVAILABLE
					     : is_busy(s) ? INTEGRITY_FAILED
							  : INTEGRITY_PASSED,
				    .witness = "kernel",
				    .evidence = j};
	c.text = !s->is_known
			 ? "the kernel does not say how much CPU time the worker used"
			 : arena_printf(g->arena,
					"%.2f CPUs used and a thread runnable in %.0f %% of the looks while nothing "
					"was asked of the worker",
					s->cpus, 100 * s->wanted);
	integrity_add(g, &c);
	if (is_busy(s))
		integrity_reject(g, VERDICT_IDLE_WORK, c.text);
}

static void add_late(struct integrity *g, bool is_frozen, const uint64_t hash[2])
{
	bool has_changed = hash[0] != hash[1];
	struct integrity_check c = {.name = "late_writes",
				    .state = has_changed ? INTEGRITY_FAILED : INTEGRITY_PASSED,
				    .witness = "keeper",
				    .text = has_changed ? "outputs changed after the worker had answered"
							: "outputs stayed as they were when the worker had answered"};
	struct json *j = json_object(g->arena);
	json_set_bool(j, "frozen_at_the_answer", is_frozen);
	c.evidence = j;
	integrity_add(g, &c);
	if (has_changed)
		integrity_reject(g, VERDICT_LATE_WRITE, c.text);
}

static void add_processes(struct integrity *g, int pid, bool is_host)
{
	struct watch_census n;
	struct json *j = json_object(g->arena);
	struct integrity_check c = {.name = "processes", .witness = "kernel", .evidence = j};
	if (!watch_group(pid, &n)) {
		c.state = INTEGRITY_UNAVAILABLE;
		c.text = "the worker is gone";
		integrity_add(g, &c);
		return;
	}
	json_set_u64(j, "n_processes", n.n_processes);
	json_set_u64(j, "n_threads", n.n_threads);
	c.state = n.n_processes > 1 ? INTEGRITY_FAILED : INTEGRITY_PASSED;
	c.text = arena_printf(g->arena, "%u process(es), %u thread(s) while idle", n.n_processes, n.n_threads);
	integrity_add(g, &c);
	if (n.n_processes > 1)
		integrity_reject(g, VERDICT_LEFT_PROCESSES, c.text);
	else if (is_host && n.n_threads > 1) /* drivers of GPUs have threads of their own */
		integrity_flag(g, VERDICT_FLAG_THREADS, "kernel", c.text);
}

static void add_libraries(struct integrity *g, int pid)
{
	size_t n;
	const char **paths = maps_code(g->arena, pid, &n), *found = "";
	struct json *j = json_object(g->arena), *list = json_set_array(j, "mapped");
	for (size_t i = 0; i < n; i++) {
		const char *name = maps_kernel_library(paths[i]);
		json_push_str(list, str_from(path_base(paths[i])));
		if (name && !strstr(found, name))
			found = arena_printf(g->arena, "%s%s%s", found, *found ? ", " : "", name);
	}
	struct integrity_check c = {.name = "libraries",
				    .state = n ? INTEGRITY_PASSED : INTEGRITY_UNAVAILABLE,
				    .witness = "kernel",
				    .text = *found ? arena_printf(g->arena, "mapped: %s", found)
						   : "no library of kernels or code generator is mapped",
				    .evidence = j};
	if (!n)
		c.text = "the worker's maps cannot be read";
	integrity_add(g, &c);
	if (*found)
		integrity_flag(g, VERDICT_FLAG_LIBRARY, "kernel", c.text);
}

bool idle_look(struct integrity *g, struct lab *l, struct lab_worker *w, struct err *e)
{
	uint64_t hash[2] = {0, 0}; /* when it had answered, and later */
	int pid = worker_pid(lab_process(w));
	size_t n_slots = lab_n_slots(l) < IDLE_MAX_SLOTS ? lab_n_slots(l) : IDLE_MAX_SLOTS;
	bool is_frozen = lab_freeze(w);
	if (!hash_outputs(l, n_slots, &hash[0], e))
		return false;
	lab_thaw(w);
	struct idle_seen s = watch_idle(pid);
	if (!hash_outputs(l, n_slots, &hash[1], e))
		return false;
	add_late(g, is_frozen, hash);
	add_cpu(g, &s);
	add_processes(g, pid, lab_is_host(l));
	add_libraries(g, pid);
	return true;
}
