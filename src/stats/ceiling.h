/* How far from the hardware's limit: roofline, physical floor, Amdahl. Pure arithmetic on numbers that carry their
 * source elsewhere; rates in units a second, times in ns.
 * Roofline: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", CACM 52(4), 2009. */
#ifndef ASSAY_STATS_CEILING_H
#define ASSAY_STATS_CEILING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum ceiling_bound { CEILING_NONE, CEILING_MEMORY, CEILING_COMPUTE };
enum ceiling_has {
	CEILING_HAS_INTENSITY = 1 << 0, /* flops and bytes are known */
	CEILING_HAS_ROOF = 1 << 1,      /* the rate of at least one known amount is known */
	CEILING_HAS_FLOPS = 1 << 2,
	CEILING_HAS_BYTES = 1 << 3,
	CEILING_HAS_RIDGE = 1 << 4,
};
struct ceiling_work {
	double flops, bytes; /* of one call; 0: not known */
	double time_ns;      /* of one call, > 0 */
	double peak_flops;   /* a second, for the type and unit that the kernel uses; 0: not known */
	double peak_bytes;   /* a second; 0: not known */
};
struct ceiling {
	unsigned has;                /* enum ceiling_has */
	double intensity;            /* flops / bytes */
	double ridge;                /* peak_flops / peak_bytes: intensity where the roofs meet */
	double flop_rate, byte_rate; /* reached, a second */
	double flop_pct, byte_pct;   /* of their peaks; 0 where the peak is not known */
	enum ceiling_bound bound;    /* the binding roof: the one whose least time is larger */
	double least_ns;             /* max(flops / peak_flops, bytes / peak_bytes) over the known ones */
	double pct; /* 100 least_ns / time_ns: of the binding ceiling; above 100 is possible (cache, guesses) */
};
/* ERR_INPUT: time not above zero, anything negative or not finite. */
MUST_USE bool ceiling_of(struct ceiling *out, const struct ceiling_work *w, struct err *e);
struct json *ceiling_json(struct arena *a, const struct ceiling *c);
const char *ceiling_bound_name(enum ceiling_bound b); /* "none", "memory", "compute" */

/* Pins: the only speed limit that no kernel passes. bus_bits / 8 * memory_hz * per_clock (2 for DDR and HBM: both edges)
 * bytes a second. */
double ceiling_pin_rate(double bus_bits, double memory_hz, double per_clock);

enum ceiling_floor {
	CEILING_FLOOR_UNKNOWN, /* no bytes or no rate */
	CEILING_FLOOR_PASSED,
	CEILING_FLOOR_SUSPECT, /* a flagged fact: below a measured ceiling, or below the floor with guessed bytes or warm */
	CEILING_FLOOR_IMPOSSIBLE, /* rejects: declared compulsory bytes, cold, faster than the pins */
};
enum ceiling_floor_flags { CEILING_DECLARED = 1 /* bytes were declared, not guessed */, CEILING_COLD = 2 };
struct ceiling_floor_in {
	double bytes;         /* compulsory: each input read once, each output written once */
	double l2_bytes;      /* what may be left in, or stay in, the cache */
	double pin_rate;      /* ceiling_pin_rate; 0: not known */
	double measured_rate; /* best copy rate measured on this card; 0: not known */
	double time_ns;
	unsigned flags; /* enum ceiling_floor_flags */
};
/* floor_ns = max(0, bytes - l2_bytes) / pin_rate; *floor_ns may be NULL. */
enum ceiling_floor ceiling_floor_of(const struct ceiling_floor_in *in, double *floor_ns);
const char *ceiling_floor_name(enum ceiling_floor f); /* "unknown", "passed", "suspect", "impossible" */

/* Amdahl 1967 with an added cost: gain of the whole when a part that has the exposed share f of its time gets shorter by
 * the fraction r, and c (of the whole) is added: 1 / (1 - f r + c) - 1, as a fraction (0.05: 5 % more throughput).
 * Infinity when nothing is left. 0 <= f, r <= 1, c >= 0. */
double ceiling_amdahl(double f, double r, double c);
/* The local reduction r that a whole gain needs; above 1: out of reach. */
double ceiling_amdahl_needed(double gain, double f, double c);

#endif
