/* What the strategy memory says before a step: blocked, preferred, opened again, elsewhere (RULES R1.10). */
#ifndef ASSAY_LOOP_CONSTRAINTS_H
#define ASSAY_LOOP_CONSTRAINTS_H

#include "loop/memory.h"
#include "loop/run.h"

#define CONSTRAINTS_ELSEWHERE 20 /* entries of other scopes that are shown, newest first */

/* {"blocked": [..], "preferred": [..], "reopened": [..], "elsewhere": [..], "n_elsewhere": n, "scope": KEY}; an entry is
 * {fingerprint, tags, outcome, reason, level, iteration, at, closes, why, also}. Both levels are merged; of a fingerprint
 * with several outcomes the newest decides and the others stand in `also`. The baseline never blocks. */
MUST_USE bool constraints_make(struct json **out, struct run *r, struct memory *m, const struct scope *s,
			       struct err *e);
/* The blocked entry of a fingerprint; NULL: it is not blocked. */
const struct json *constraints_blocked(const struct json *constraints, const char *fingerprint);
/* Another blocked entry whose tags name the same mechanisms under other spellings; NULL: none. */
const struct json *constraints_same(const struct json *constraints, const struct tags *t, struct arena *a);
/* Fingerprints of a list ("blocked", "preferred"), sorted, as the published manifest has them. */
struct json *constraints_fingerprints(const struct json *constraints, const char *list, struct arena *a);

#endif
