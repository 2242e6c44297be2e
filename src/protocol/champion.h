/* The Champion: which variant is the best one now, by whom it was chosen, and the whole history. */
#ifndef ASSAY_PROTOCOL_CHAMPION_H
#define ASSAY_PROTOCOL_CHAMPION_H

#include "protocol/target.h"

struct champion {
	struct json *selection_ref;      /* NULL: the original */
	struct json *selection;          /* the record */
	struct json *variant;            /* {role, kind, digest, locator} */
	char pointer_sha256[SHA256_HEX]; /* of champion/current.json; "" when absent */
};
/* p->code becomes selection_invalid when the records do not hold together. */
MUST_USE bool champion_load(struct champion *out, struct protocol *p, const struct target *t, struct err *e);
/* show, select, restore-original of champion-input-v1. */
MUST_USE bool champion_request(struct json **answer, struct protocol *p, const struct json *request, struct err *e);

#endif
