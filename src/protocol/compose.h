/* Requests made from options: the same closed documents as a person writes, with what the evidence root knows already filled in:
 * references with their digests, cases, GPUs, the minimum effect. They are then answered like any other request. */
#ifndef ASSAY_PROTOCOL_COMPOSE_H
#define ASSAY_PROTOCOL_COMPOSE_H

#include "base/opt.h"
#include "protocol/evidence.h"

struct compose_limits { /* seconds, all above 0 */
	double operation_s, command_s, resource_wait_s, cleanup_s, launch_s;
};
struct compose_target { /* NULL and 0: the format's or our default, said at the option */
	const char *original, *original_kind, *suite, *reference, *accept, *primary, *claim_layer, *request_argument;
	const char *smoke_case, *max_risk, *more;
	struct opt_list cases, constraints, gpus, tools, side_effects, allowed_paths, materials, command;
	double minimum_effect_pct, confidence, scan_s, budget_wall_s, budget_gpu_s;
	int64_t minimum_pairs, bootstrap_samples, max_files, max_bytes;
	bool same_process;
	struct compose_limits limits;
};
struct compose_run { /* baseline, screen, target, final_audit */
	const char *operation;
	const char *experiment; /* id; NULL: the newest */
	const char *retry_of;
	const char *lifecycle, *relationship; /* final_audit */
	struct opt_list cases, shared, rebuilt;
	int64_t count; /* samples a case of a baseline, else pairs */
	int64_t seed, repeats, replicate;
	bool premises_confirmed;
	struct compose_limits limits;
};
struct compose_experiment {
	const char *baseline; /* invocation; NULL: the newest that passed */
	const char *base, *candidate, *kind, *hypothesis, *mechanism, *claim_layer, *max_risk;
	const char *screen_kind, *screen_claim, *falsifier_reason, *lifecycle, *relationship, *failure_reach, *more;
	struct opt_list scope, shared, rebuilt, reject_if, promote_if, diagnostics, gates, secondaries, falsifier;
	double falsifier_s;
};

/* NULL and err: something named is not there, or a text is not of its form. */
MUST_USE struct json *compose_target(struct protocol *p, const struct compose_target *t, struct err *e);
MUST_USE struct json *compose_run(struct protocol *p, const struct compose_run *r, struct err *e);
MUST_USE struct json *compose_experiment(struct protocol *p, const struct compose_experiment *x, struct err *e);
/* operation: show, select, restore-original; result: invocation id, for the latter two. What is expected to be selected now is what
 * the result was measured against. */
MUST_USE struct json *compose_champion(struct protocol *p, const char *operation, const char *result, struct err *e);
/* falsify; experiment NULL: the newest */
MUST_USE struct json *compose_falsify(struct protocol *p, const char *experiment, struct err *e);
/* operation: status, cancel */
struct json *compose_about(struct protocol *p, const char *operation, const char *invocation);

/* For the files of compose*: "a:b:c" into at least `least` and at most `most` parts, none of them empty. The last part keeps
 * its colons. How many there are; 0 and err. */
struct compose_parts {
	size_t least, most; /* at most 5 */
	const char *v[5];
};
MUST_USE size_t compose_split(struct compose_parts *parts, struct arena *a, const char *what, const char *text,
			      struct err *e);
struct json *compose_strings(struct arena *a, const struct opt_list *list);
/* "errors<=0" as {metric, operator, value} */
MUST_USE struct json *compose_gate(struct arena *a, const char *what, const char *text, struct err *e);
/* Members of the JSON file `path` go into the request; NULL: none. */
MUST_USE bool compose_more(struct json *request, const char *path, struct err *e);
void compose_limits(struct json *to, const struct compose_limits *l);
struct json *compose_resources(struct arena *a, const struct json *gpu_uuids);

#endif
