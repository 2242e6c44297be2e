/* Tables of a trace: time by kernel, by category, by operator and by step, launch delays; and all of it as facts and JSON.
 * Shares are of the sum of GPU activity durations, which is more than the covered time where streams overlap. */
#ifndef ASSAY_READ_KINETO_TABLE_H
#define ASSAY_READ_KINETO_TABLE_H

#include "facts/fact.h"
#include "read/kineto/kineto.h"

struct kineto_row {
	struct str name; /* kernel, copy, operator, category or step */
	uint64_t n;      /* GPU activities */
	int64_t total_ns, min_ns, max_ns;
	int64_t p50_ns, p99_ns; /* nearest rank: the ceil(q n)-th smallest */
	double share;           /* of kineto_rows.total_ns */
	enum kineto_kind kind;
	bool is_collective;
	uint64_t n_calls; /* operators: calls on the CPU */
	int64_t calls_ns; /* operators: their time on the CPU, nested calls included; steps: duration on the CPU */
	int64_t start_ns; /* steps */
};
struct kineto_rows {
	struct kineto_row *v; /* by total_ns, falling; steps by start */
	size_t n;
	int64_t total_ns; /* of all GPU activities of the trace */
	uint64_t n_left;  /* activities that belong to no row (operators, steps) */
	int64_t left_ns;
};
void kineto_by_kernel(struct kineto_rows *out, struct arena *a, const struct kineto_trace *t);
/* compute kernels, communication kernels, copies by direction, memset */
void kineto_by_category(struct kineto_rows *out, struct arena *a, const struct kineto_trace *t);
/* By the operator that asked for the work ("External id"); operators without GPU work are rows with n 0. */
void kineto_by_operator(struct kineto_rows *out, struct arena *a, const struct kineto_trace *t);
/* By profiler step: an activity belongs to the step in which it was launched, else in which it started. */
void kineto_by_step(struct kineto_rows *out, struct arena *a, const struct kineto_trace *t);

struct kineto_delays {          /* from the start of the launch call to the start on the GPU, linked activities only */
	uint64_t n, n_negative; /* negative: clocks of CPU and GPU disagree */
	int64_t p50_ns, p99_ns, max_ns;
};
void kineto_launch_delays(struct kineto_delays *out, const struct kineto_trace *t);

/* Facts: report totals, one set per kernel name, and the trust counts that are not zero. */
void kineto_facts(struct fact_set *out, const struct kineto_trace *t, struct arena *a);
/* Everything, rows cut to `top` each (0: all) with the totals kept. */
struct json *kineto_json(const struct kineto_trace *t, struct arena *a, size_t top);
struct json *kineto_trust_json(const struct kineto_trace *t, struct arena *a);

#endif
