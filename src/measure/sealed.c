/* The sealed batch.
 * In: a worker, fresh data. Out: a bound on the time of a call that the candidate has no part in.
 * Every round has data that nobody met; captures go on into fresh_check.
 * Never: subtracts what the worker says about overhead. */
#include "measure/sealed.h"

#include <math.h>

#include "base/pool.h"
#include "run/watch.h"

/* A batch lasts no longer than this where calls are slow. */
static const double SEALED_ROUND_NS = 3e8;
/* What messages and wake-ups of one batch may cost on a loaded machine: 60 us were seen on an idle one. */
static const double SEALED_SLACK_NS = 4e5;
/* An interpreter that stood still finds its code out of the caches where others work: 8 calls of 7 us took 0.87 ms of CPU at a
 * load of nine on two CPUs. */
static const double SEALED_GUEST_SLACK_NS = 1.5e6;
/* Another round is made above this. */
static const double SEALED_LOOSE = 1.3, SEALED_BUSY = 3;

static enum ask_result run_round(struct sealed *out, const struct sealed_ask *ask, struct fresh_series *series,
				 struct lab_fault *fault, struct err *e)
{
	struct lab *l = ask->fresh->lab;
	struct lab_rows rows;
	struct watch_census census;
	struct watch_threads *before = ARENA_NEW(ask->fresh->arena, struct watch_threads),
			     *after = ARENA_NEW(ask->fresh->arena, struct watch_threads);
	struct lab_batch b = {.n = out->n_calls, .flags = WIRE_CALL_AS_IS | WIRE_CALL_SEALED};
	size_t unfrozen = ask->fresh->n_unfrozen;
	if (!fresh_prepare(series, out->n_calls, e))
		return ASK_ERR;
	int pid = worker_pid(lab_process(ask->worker));
	watch_threads(before, pid);
	int64_t cpu = watch_cpu_ns(pid);
	enum ask_result r = lab_run(l, ask->worker, &b, &rows, fault, e);
	if (r != ASK_OK)
		return r;
	if (!fresh_keep(series, out->n_calls, e))
		return ASK_ERR;
	int64_t cpu_after = watch_cpu_ns(pid);
	double wall = (double)rows.wall_ns / (double)out->n_calls;
	out->n_unfrozen += ask->fresh->n_unfrozen != unfrozen;
	watch_threads(after, pid);
	if (out->n_rounds == 0 || wall < out->bound_ns) {
		out->n_busy = watch_busy_threads(before, after);
		if (!out->n_busy && watch_process(pid, &census))
			out->n_busy = census.n_threads;
		out->bound_ns = wall;
		out->cpu_ns = cpu >= 0 && cpu_after >= cpu ? (double)(cpu_after - cpu) / (double)out->n_calls : NAN;
	}
	out->wall_ns[out->n_rounds++] = wall;
	return ASK_OK;
}

/* Whether another round is worth its time. Where others keep the CPU busy the kernel's account of our own time says so. */
static bool is_tight(const struct sealed *s, double claimed_ns)
{
	double good = SEALED_LOOSE * claimed_ns + SEALED_SLACK_NS / (double)s->n_calls;
	return s->bound_ns <= good || (!s->is_device && s->cpu_ns <= good && s->bound_ns <= SEALED_BUSY * claimed_ns);
}

enum ask_result sealed_run(struct sealed *out, const struct sealed_ask *ask, struct lab_fault *fault, struct err *e)
{
	struct lab *l = ask->fresh->lab;
	struct fresh_series series;
	size_t most = lab_n_slots(l), n_kept = ask->n_kept;
	double n = ask->claimed_ns > 0 ? SEALED_ROUND_NS / ask->claimed_ns : (double)most;
	*out = (struct sealed){.is_device = ask->is_device,
			       .cpu_ns = NAN,
			       .slack_ns = ask->is_guest ? SEALED_GUEST_SLACK_NS : SEALED_SLACK_NS,
			       .n_calls = n >= (double)most ? most
					  : n < 2           ? 2
							    : (size_t)n};
	for (size_t i = 0; i < out->n_calls; i++) {
		enum ask_result r = lab_move_slot(l, ask->worker, i, fault, e);
		if (r != ASK_OK)
			return r;
	}
	while (out->n_rounds < SEALED_MAX_ROUNDS) {
		/* Every round has captures of its own: what a round gains without the work must be seen in that round. */
		size_t share = out->n_rounds == 0 && n_kept > 1 ? (2 * n_kept + 2) / 3 : n_kept > 0;
		if (out->n_rounds > 0 && share == 0)
			break;
		n_kept -= share;
		fresh_begin(&series, ask->fresh, ask->worker, "sealed batch", share);
		series.wants_last = true;
		enum ask_result r = run_round(out, ask, &series, fault, e);
		if (r != ASK_OK)
			return r;
		if (is_tight(out, ask->claimed_ns))
			break;
	}
	return ASK_OK;
}

bool sealed_denies(const struct sealed *s, double claimed_ns, double factor)
{
	double limit = factor * claimed_ns + s->slack_ns / (double)s->n_calls;
	if (s->n_rounds == 0 || !(claimed_ns > 0) || !(s->bound_ns > limit))
		return false;
	if (isnan(s->cpu_ns) || s->is_device) /* the work is not the CPU's */
		return true;
	size_t n_cpus = pool_n_cpus();
	double parallel = (double)(s->n_busy < n_cpus ? s->n_busy : n_cpus);
	/* A call that takes a wall time of `claimed` cannot use more CPU time than that on each CPU that it ran on: the
	 * threads that a library keeps waiting are none of them. */
	return s->cpu_ns > limit * fmax(1, parallel);
}

struct json *sealed_json(struct arena *a, const struct sealed *s)
{
	struct json *j = json_object(a), *walls = json_set_array(j, "wall_ns_per_call");
	json_set_u64(j, "n_calls", s->n_calls);
	json_set_u64(j, "n_rounds", s->n_rounds);
	json_set_f64(j, "bound_ns", s->n_rounds ? s->bound_ns : NAN);
	json_set_f64(j, "cpu_ns_per_call", s->cpu_ns);
	json_set_f64(j, "slack_ns", s->slack_ns);
	json_set_u64(j, "n_busy_threads", s->n_busy);
	json_set_u64(j, "n_rounds_not_frozen", s->n_unfrozen);
	for (size_t i = 0; i < s->n_rounds; i++)
		json_push_f64(walls, s->wall_ns[i]);
	return j;
}
