/* The known fields of a report, as a table, and the search for others.
 * In: messages of a report.
 * Out: r->unmodeled: message, field, wire type, how often, where first.
 * Never: decodes a value. */
#include "read/ncu/schema.h"

#include <string.h>

#define MAX_FIELD 40 /* larger numbers are unknown anyway */
#define MAX_NOTES 256

struct schema_row {
	uint8_t wire; /* enum pb_wire + 1; 0: unknown field */
	uint8_t inside;
};
static const struct schema_row rows[SCHEMA_NONE][MAX_FIELD] = {
#define MESSAGE(e, name)
#define FIELD(message, number, wire, inside) [SCHEMA_##message][number] = {PB_##wire + 1, SCHEMA_##inside},
#include "read/ncu/schema.def"
#undef MESSAGE
#undef FIELD
};
static const char *const message_names[] = {
#define MESSAGE(e, name) name,
#define FIELD(message, number, wire, inside)
#include "read/ncu/schema.def"
#undef MESSAGE
#undef FIELD
};

void schema_note(struct ncu_report *r, const char *message, const struct pb_field *f, const void *at)
{
	for (size_t i = 0; i < r->n_unmodeled; i++) {
		struct ncu_unmodeled *u = &r->unmodeled[i];
		if (u->field == f->number && u->wire == (uint32_t)f->wire && strcmp(u->message, message) == 0) {
			u->n++;
			return;
		}
	}
	if (r->n_unmodeled == MAX_NOTES)
		return;
	if (!r->unmodeled)
		r->unmodeled = ARENA_ARRAY(&r->arena, MAX_NOTES, struct ncu_unmodeled);
	r->unmodeled[r->n_unmodeled++] = (struct ncu_unmodeled){
		.message = message,
		.field = f->number,
		.wire = (uint32_t)f->wire,
		.n = 1,
		.offset = (size_t)((const char *)at - r->bytes.p),
	};
}

/* Recursion ends: the table has no cycle. */
bool schema_scan(struct ncu_report *r, enum schema_message m, struct str body, const unsigned char **bad)
{
	struct pb w = pb_of(body);
	struct pb_field f;
	for (;;) {
		const unsigned char *at = w.p;
		if (!pb_next(&w, &f))
			break;
		struct schema_row row = {0, SCHEMA_NONE};
		if (f.number < MAX_FIELD)
			row = rows[m][f.number];
		if (row.wire != (unsigned)f.wire + 1)
			schema_note(r, message_names[m], &f, at);
		else if (row.inside != SCHEMA_NONE && !schema_scan(r, (enum schema_message)row.inside, f.bytes, bad))
			return false;
	}
	if (w.is_bad)
		*bad = w.p;
	return !w.is_bad;
}
