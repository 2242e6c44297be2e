/* From a request to what is going to run: validated against Target, Experiment and Champion, frozen, with every call named. */
#ifndef ASSAY_PROTOCOL_EVALUATE_PLAN_H
#define ASSAY_PROTOCOL_EVALUATE_PLAN_H

#include "protocol/target.h"

#define INVOCATION_ID_MAX 80

/* A long request (baseline, screen, target, final_audit) to the frozen request.json. Nothing is written. */
MUST_USE bool plan_freeze(struct json **frozen, struct protocol *p, const struct json *request, struct err *e);
/* inv-<32 hex> of the frozen request's digest and this program. */
void plan_invocation_id(const struct json *frozen, char id[INVOCATION_ID_MAX]);
/* sha256 of what decides the measurement: neither limits nor deadlines, retry_of or the time of creation. */
void plan_request_digest(const struct json *frozen, char digest[SHA256_HEX]);
/* The parts of every frozen request: limits with deadlines and retry_of; version, result_contract and digest of this program. */
void plan_put_limits(struct json *frozen, const struct json *request);
void plan_put_tool(struct json *frozen, const char *result_contract);
/* A result or experiment by reference: code_not_found, code_changed, code_invalid of `what` ("baseline", "experiment"). */
MUST_USE struct json *plan_record(struct protocol *p, const char *what, const char *path, const struct json *ref,
				  struct err *e);
/* Names under .index/KEY: invocations that belong to an experiment or a candidate. */
MUST_USE bool plan_index_add(struct protocol *p, const char *key, const char *id, struct err *e);
MUST_USE char **plan_index(struct protocol *p, const char *key, size_t *n, struct err *e);

#endif
