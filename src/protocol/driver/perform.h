/* One step of a measurement: the request document, the call, the checked answer, and the receipt that is kept of it. */
#ifndef ASSAY_PROTOCOL_DRIVER_PERFORM_H
#define ASSAY_PROTOCOL_DRIVER_PERFORM_H

#include "protocol/driver/call.h"
#include "protocol/driver/result.h"

struct perform_places { /* materialised, absolute */
	const char *suite, *reference;
};
/* What all calls of one execution have in common, from a target record. `acquisition`: {lifecycle, shared_state,
 * rebuilt_state}. */
struct json *perform_base(struct protocol *p, const struct json *target, const struct perform_places *places,
			  const struct json *acquisition);

struct perform_options {
	const struct json *base;
	const char *operation, *execution_id;
	const struct json *subjects; /* [{role, variant{kind, digest, locator}}] in the order in which they run */
	const char *case_id;
	const struct json *sampling;
	const char *folder; /* of this call: made here, absolute */
	struct driver_stamps *stamps;
	struct call_options call; /* driver, gpu_uuids, token, clocks; request and folder are set here */
};
struct performed {
	const char *stop_reason; /* NULL: a valid answer */
	const char *text;
	struct driver_answer answer;
	struct json *receipt; /* {request, command_result, driver_output_ref, driver_artifacts, ...} */
	bool is_clean;
};
/* False when assay could not do it (disk full, no such program). */
MUST_USE bool perform(struct performed *out, struct protocol *p, const struct perform_options *o, struct err *e);

/* Role's gate: {passed, driver_status, metric, operator, threshold, observed, status_consistent}; a metric that is missing
 * does not pass. `acceptance`: {metric, operator, value}. */
struct json *perform_gate(struct arena *a, const struct json *correctness, const struct json *acceptance);

#endif
