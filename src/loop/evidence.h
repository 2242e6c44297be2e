/* The numbers that a proposal may cite: what the full report of an iteration prints, and its benchmark_result.json. */
#ifndef ASSAY_LOOP_EVIDENCE_H
#define ASSAY_LOOP_EVIDENCE_H

#include "base/err.h"
#include "base/json.h"

struct evidence_row {
	struct str label, name, unit,
		value;    /* label as the page prints it, name as the profiler calls it (may be empty) */
	const char *file; /* base name of the file that it stands in */
	unsigned line;
};
struct evidence {
	struct evidence_row *rows; /* of full_details.txt and full.perf.json */
	size_t n, cap;
	struct json *bench; /* benchmark_result.json, NULL when absent */
	bool has_profile;   /* rows come from a profiler's counters: one of them must be cited */
	struct arena *arena;
};

/* Reads what is there in the iteration's folder; files that are absent are left out. */
MUST_USE bool evidence_read(struct evidence *out, struct arena *a, const char *folder, struct err *e);
/* Whether anything at all can be cited. */
bool evidence_is_empty(const struct evidence *v);

enum evidence_match { EVIDENCE_EQUAL, EVIDENCE_NO_METRIC, EVIDENCE_OTHER_UNIT, EVIDENCE_OTHER_VALUE };
struct evidence_claim {
	struct str metric, value, unit;
};
struct evidence_answer {
	enum evidence_match match;
	bool is_profile;    /* the metric stands in the full report, not in the bench */
	const char *actual; /* "21.89 %" as printed, several with " or "; NULL when there is no such metric */
	const char *where;  /* "full_details.txt:17" */
	const char *near;   /* NO_METRIC: the nearest name, or NULL */
};
/* Equal: the same unit, and the printed value rounded to the digits given is the value given. */
void evidence_check(struct evidence_answer *out, const struct evidence *v, const struct evidence_claim *c);
/* Whether number `given` is `actual` to the digits that `given` has. */
bool evidence_same_number(struct str given, double actual);

#endif
