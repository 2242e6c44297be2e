/* Removing what no record of an evidence root names. */
#ifndef ASSAY_PROTOCOL_EVIDENCE_GC_H
#define ASSAY_PROTOCOL_EVIDENCE_GC_H

#include "protocol/evidence.h"

struct gc_options {
	bool is_dry;      /* say what would go */
	double min_age_s; /* younger ones stay: somebody may be about to name them */
};
/* {format, root, dry_run, n_objects, n_referenced, n_young, removed: [{digest, bytes}], n_bytes, n_leftovers, n_restored}. An object is referenced
 * when its digest stands anywhere in a record or in what an invocation left. A record that cannot be read ends it before anything
 * is removed. */
MUST_USE struct json *evidence_gc(struct protocol *p, const struct gc_options *o, struct err *e);

#endif
