/* What of a report this reader does not know. */
#ifndef ASSAY_READ_NCU_SCHEMA_H
#define ASSAY_READ_NCU_SCHEMA_H

#include "read/ncu/ncu.h"
#include "read/ncu/pb.h"

enum schema_message {
#define MESSAGE(e, name) SCHEMA_##e,
#define FIELD(message, number, wire, inside)
#include "read/ncu/schema.def"
#undef MESSAGE
#undef FIELD
	SCHEMA_NONE
};

/* Walks a message by the table and notes unknown fields, and known ones of another wire type, in r->unmodeled. False: the
 * bytes are no protobuf at *bad (within body). */
MUST_USE bool schema_scan(struct ncu_report *r, enum schema_message m, struct str body, const unsigned char **bad);
/* Notes one field; `at` points into r->bytes. */
void schema_note(struct ncu_report *r, const char *message, const struct pb_field *f, const void *at);

#endif
