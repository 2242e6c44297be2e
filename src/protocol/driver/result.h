/* What a driver wrote: held against the request that it answers. */
#ifndef ASSAY_PROTOCOL_DRIVER_RESULT_H
#define ASSAY_PROTOCOL_DRIVER_RESULT_H

#include "protocol/evidence.h"

struct driver_answer {
	const char *problem;      /* stop reason; NULL: the result is valid */
	const char *text;         /* what is wrong, for people */
	struct json *result;      /* the document */
	struct json *environment; /* as a Target freezes it: with attribution_scope */
	struct json *output_ref;  /* object_ref of the whole output folder */
};
/* Reads FOLDER/result.json and checks it: closed fields, echoes, digests of artifacts, nothing beside them, names, units and
 * sample counts. False only when it could not be looked at. */
MUST_USE bool driver_answer_read(struct driver_answer *out, struct protocol *p, const struct json *request,
				 const char *folder, struct err *e);
/* The member of evidence.correctness or evidence.measurements of a role: its result; NULL when there is none. */
struct json *driver_answer_of(const struct json *result, const char *which, struct str role);
/* Does the observed value meet operator and threshold? */
bool driver_gate_holds(double observed, struct str op, double threshold);

#endif
