/* Several ranks of one job: clocks aligned, collectives matched, who came late.
 * Matching: the k-th collective of a name on each rank, for names that every rank ran equally often.
 * Alignment: all ranks leave a collective together, so offset of rank r = lower median over matched collectives of
 * (end on r - end on rank 0); aligned time = time - offset. spread: largest |end difference - offset|, what the alignment
 * cannot know. Without a matched collective: the traces' own base times, else none.
 * Of a matched collective: skew = last aligned start - first; wait of a rank = last aligned start - its own. */
#ifndef ASSAY_TIMELINE_RANKS_H
#define ASSAY_TIMELINE_RANKS_H

#include "timeline/cover.h"
#include "timeline/launch.h"

enum rank_clock { RANK_CLOCK_COLLECTIVES, RANK_CLOCK_BASE, RANK_CLOCK_NONE };
const char *rank_clock_name(enum rank_clock c);
struct rank {
	int64_t rank;       /* as the trace says, else its number in the order given */
	struct cover cover; /* all devices as one */
	enum rank_clock clock;
	int64_t offset_ns, spread_ns;
	uint64_t n_last;      /* collectives that waited for this rank: it started last (a tie counts for none) */
	int64_t caused_ns;    /* over those: last start - the start before it */
	int64_t wait_ns;      /* its own waiting inside collectives for the last one */
	int64_t exposed_ns;   /* communication with nothing else running */
	uint64_t n_unmatched; /* collectives without a partner on every rank */
};
struct ranks {
	struct rank *v;
	size_t n;
	uint64_t n_matched;
	struct launch_times skew;
};
/* At least one trace. */
void ranks_make(struct ranks *out, const struct trace *const *traces, size_t n, struct arena *a);

#endif
