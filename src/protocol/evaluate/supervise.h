/* The two processes of an execution. The guardian holds the leases and ends what the worker leaves; the worker makes the
 * calls and publishes. Either may be killed: what is left is ended, and a result says owner_lost. */
#ifndef ASSAY_PROTOCOL_EVALUATE_SUPERVISE_H
#define ASSAY_PROTOCOL_EVALUATE_SUPERVISE_H

#include "protocol/evidence.h"

/* The guardian: runs the invocation to its result. True when there is one at the end. `owner`: the descriptor of the
 * invocation's .owner file, locked by who submitted it, so that it is never without an owner. */
MUST_USE bool supervise(struct protocol *p, const char *id, int owner, struct err *e);
/* An invocation without a result whose processes are all gone: ends what is left of its drivers and publishes owner_lost with
 * every call that was made. *is_alive: somebody runs it; nothing is done then. */
MUST_USE bool supervise_recover(struct protocol *p, const char *id, bool *is_alive, struct err *e);

#endif
