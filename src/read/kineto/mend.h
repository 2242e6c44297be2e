/* JSON values written again as valid JSON: trailing and missing commas, raw control bytes, bad escapes, bytes that are no UTF-8,
 * NaN and infinity (null), second values of a key (the first one stays). Inside read/kineto only. */
#ifndef ASSAY_READ_KINETO_MEND_H
#define ASSAY_READ_KINETO_MEND_H

#include "base/buf.h"
#include "read/redact.h"

struct mend_field {            /* of an event, or of its arguments */
	struct str key, value; /* value: as in the text, strings without their quotation marks */
	bool in_args;
};
struct mend {
	const char *p;
	size_t end;             /* of the value */
	const uint64_t *quotes; /* bit i: p[i] is an unescaped quotation mark; NULL: find out */
	struct redact *redact;  /* NULL: keep everything */
	struct mend_field fields[64];
	size_t n_fields;
	uint64_t n_mended; /* places that were no valid JSON */
};
/* Appends the value that begins at p[at]; returns the place behind it, 0 when it cannot be made whole. */
size_t mend_value(struct mend *m, struct buf *out, size_t at);
/* The field of that name; empty: absent. */
struct str mend_field(const struct mend *m, const char *key, bool in_args);

#endif
