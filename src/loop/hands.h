/* Who measures a version and who compares two. The real ones are iterate() and confirm(); a test gives its own. */
#ifndef ASSAY_LOOP_HANDS_H
#define ASSAY_LOOP_HANDS_H

#include "loop/loop.h"
#include "loop/run.h"

struct pair { /* two versions of a run, over fresh placements and data of their own */
	size_t a, b;
	uint64_t seed;
};
struct confirmed {
	enum verdict verdict; /* of b: VERDICT_FASTER, _SLOWER, _EQUIVALENT, _INCONCLUSIVE, or what is wrong with it */
	bool is_of_a;         /* what is wrong is wrong with a */
	bool has_effect;
	bool is_disturbed;                       /* others used the machine, or nobody watched: the times say nothing */
	double effect_pct, lower_pct, upper_pct; /* time of a is so many per cent above b's */
	double time_a_ms, time_b_ms;             /* NaN when there is none */
	size_t n_placements;
	const char *text, *source, *record; /* record: id in the store, or NULL */
};
struct loop_hands {
	/* Evaluates o->bench.input.path as version i; *out is its entry in the manifest (not yet put there). */
	bool (*version)(struct json **out, struct run *r, const struct loop_options *o, size_t i, struct err *e);
	bool (*compare)(struct confirmed *out, struct run *r, const struct loop_options *o, const struct pair *p,
			struct err *e);
};
extern const struct loop_hands loop_real_hands;

/* The paired comparison of measure/compare.h over the artifacts of the two versions. */
MUST_USE bool confirm(struct confirmed *out, struct run *r, const struct loop_options *o, const struct pair *p,
		      struct err *e);
struct json *confirmed_json(struct arena *a, const struct confirmed *c, const struct pair *p);

#endif
