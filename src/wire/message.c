/* Messages: encode and decode.
 * In: structs or payload bytes. Out: payload bytes or structs whose strings point into the payload.
 * Both walk the one field table made from wire/message.def.
 * Never: reads past the payload, allocates for a length that the payload does not have. */
#include "wire/message.h"

#include <stddef.h>

enum field_kind { FIELD_U64, FIELD_I64, FIELD_F64, FIELD_STR, FIELD_BLOB };

struct field {
	const char *name;
	enum field_kind kind;
	size_t offset;
};

#define WIRE_F(m, kind, name) {#name, FIELD_##kind, offsetof(struct wire_##m, name)},
#define WIRE_M(TYPE, name) static const struct field fields_##name[] = {WIRE_##TYPE(WIRE_F, name)};
WIRE_MESSAGES(WIRE_M)
#undef WIRE_M

static const struct {
	const char *name;
	const struct field *fields;
	size_t n_fields;
} types[WIRE_TYPE_COUNT] = {
#define WIRE_M(TYPE, name) {#name, fields_##name, COUNT_OF(fields_##name)},
	WIRE_MESSAGES(WIRE_M)
#undef WIRE_M
};

const char *wire_name(enum wire_type type)
{
	return (unsigned)type < WIRE_TYPE_COUNT ? types[type].name : "unknown";
}

static void put_u64(struct buf *out, uint64_t v)
{
	unsigned char b[8];
	for (size_t i = 0; i < 8; i++)
		b[i] = (unsigned char)(v >> (8 * i));
	buf_add(out, b, sizeof(b));
}

static bool get_u64(struct str *in, uint64_t *v)
{
	if (in->n < 8)
		return false;
	*v = 0;
	for (size_t i = 0; i < 8; i++)
		*v |= (uint64_t)(unsigned char)in->p[i] << (8 * i);
	*in = str_sub(*in, 8, in->n);
	return true;
}

void wire_encode(struct buf *out, const struct wire_message *m)
{
	for (size_t i = 0; i < types[m->type].n_fields; i++) {
		const struct field *f = &types[m->type].fields[i];
		const char *at = (const char *)&m->u + f->offset;
		struct str s;
		uint64_t bits;
		if (f->kind == FIELD_STR || f->kind == FIELD_BLOB) {
			memcpy(&s, at, sizeof(s));
			put_u64(out, s.n);
			buf_str(out, s);
		} else {
			memcpy(&bits, at, sizeof(bits));
			put_u64(out, bits);
		}
	}
}

bool wire_decode(struct wire_message *out, enum wire_type type, struct str payload, struct err *e)
{
	memset(out, 0, sizeof(*out));
	if ((unsigned)type >= WIRE_TYPE_COUNT)
		return err_set(e, ERR_PROTOCOL, "message of unknown type %u", (unsigned)type);
	out->type = type;
	struct str rest = payload;
	for (size_t i = 0; i < types[type].n_fields; i++) {
		const struct field *f = &types[type].fields[i];
		char *at = (char *)&out->u + f->offset;
		uint64_t v;
		if (!get_u64(&rest, &v))
			return err_set(e, ERR_PROTOCOL, "message %s: cut in field %s", types[type].name, f->name);
		if (f->kind == FIELD_STR || f->kind == FIELD_BLOB) {
			if (v > rest.n)
				return err_set(e, ERR_PROTOCOL, "message %s: field %s is longer than the message",
					       types[type].name, f->name);
			struct str s = str_sub(rest, 0, (size_t)v);
			rest = str_sub(rest, (size_t)v, rest.n);
			memcpy(at, &s, sizeof(s));
		} else {
			memcpy(at, &v, sizeof(v));
		}
	}
	if (rest.n)
		return err_set(e, ERR_PROTOCOL, "message %s: %zu bytes too many", types[type].name, rest.n);
	return true;
}
