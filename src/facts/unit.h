/* Units of profiler output: parsed to a base unit and a factor, and scaled for people as Nsight Compute scales them. */
#ifndef ASSAY_FACTS_UNIT_H
#define ASSAY_FACTS_UNIT_H

#include "base/str.h"

#define UNIT_MAX 32 /* bytes of a base unit with its NUL */

struct unit {
	char base[UNIT_MAX]; /* "ns", "byte/s", "hz", "%", "" for a plain count or ratio */
	double factor;       /* value * factor is in the base unit */
};

/* "Tbyte/s" -> byte/s, 1e12; "nsecond" -> ns, 1; "cycle/nsecond" and "Ghz" -> hz, 1e9. Words and spellings: unit.def.
 * False: the unit is not known (out is untouched). */
MUST_USE bool unit_parse(struct unit *out, struct str text);

/* The form in which ncu prints a base value with automatic units: bytes by 1000 (Kbyte ... Tbyte, also Kbyte/s and
 * Kbyte/block), hz (Khz ...), ns (us, ms, s), other rates per second (sector/ms, /us, /ns). The largest step whose
 * number is at least 1; anything else stays as it is. */
struct unit_scaled {
	double value;
	char unit[UNIT_MAX + 4];
	bool is_scaled;
};
void unit_scale(struct unit_scaled *out, const char *base, double value);

#endif
