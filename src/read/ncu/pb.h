/* Protobuf wire format, walked in place: no copy, every length checked against what is left. */
#ifndef ASSAY_READ_NCU_PB_H
#define ASSAY_READ_NCU_PB_H

#include <string.h>

#include "base/str.h"

enum pb_wire { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2, PB_FIXED32 = 5 };

struct pb {
	const unsigned char *p, *end;
	bool is_bad; /* the bytes at p are no field */
};
struct pb_field {
	uint32_t number;
	enum pb_wire wire;
	uint64_t u;       /* varint, or the bits of a fixed value */
	struct str bytes; /* PB_BYTES */
};

static inline struct pb pb_of(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	return (struct pb){p, s.n ? p + s.n : p, false};
}

static inline bool pb_varint(struct pb *r, uint64_t *out)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (r->p == r->end)
			return false;
		unsigned char c = *r->p++;
		if (shift == 63 && c > 1)
			return false;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			*out = v;
			return true;
		}
	}
	return false;
}

static inline bool pb_bad(struct pb *r, const unsigned char *at)
{
	r->p = at;
	r->is_bad = true;
	return false;
}

/* Takes the next field; false at the end, or with is_bad set and p at the field that does not fit. */
static inline bool pb_next(struct pb *r, struct pb_field *out)
{
	const unsigned char *at = r->p;
	uint64_t tag, n;
	if (at == r->end)
		return false;
	if (!pb_varint(r, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
		return pb_bad(r, at);
	*out = (struct pb_field){.number = (uint32_t)(tag >> 3)};
	size_t left = (size_t)(r->end - r->p);
	switch (tag & 7) {
	case PB_VARINT:
		out->wire = PB_VARINT;
		return pb_varint(r, &out->u) || pb_bad(r, at);
	case PB_BYTES:
		out->wire = PB_BYTES;
		if (!pb_varint(r, &n) || n > (size_t)(r->end - r->p))
			return pb_bad(r, at);
		out->bytes = (struct str){(const char *)r->p, (size_t)n};
		r->p += n;
		return true;
	case PB_FIXED64:
		out->wire = PB_FIXED64;
		if (left < 8)
			return pb_bad(r, at);
		memcpy(&out->u, r->p, 8);
		r->p += 8;
		return true;
	case PB_FIXED32:
		out->wire = PB_FIXED32;
		if (left < 4)
			return pb_bad(r, at);
		out->u = 0;
		memcpy(&out->u, r->p, 4);
		r->p += 4;
		return true;
	default:
		return pb_bad(r, at);
	}
}

#endif
