/* Sheets of a timeline, for the verb `read`. */
#ifndef ASSAY_VERB_READ_TIMELINE_H
#define ASSAY_VERB_READ_TIMELINE_H

#include "base/opt.h"
#include "read/sheet.h"
#include "timeline/ranks.h"
#include "timeline/timeline.h"

/* timeline links overlap concurrency idle gaps ceilings launching ranges steps path; NULL beyond the last. */
const char *read_timeline_name(size_t i);
bool read_timeline_is(const char *table); /* one of these names */
#define READ_TIMELINE_SHEETS 11
/* All of them; "timeline", and "links" where it has rows, are shown when none is named. */
struct sheet *read_timeline_sheets(const struct timeline *l, struct arena *a, size_t *n);
/* "PATTERN=PERCENT[+PERCENT]": how much shorter what matches gets, and what is added to the whole. */
MUST_USE bool read_savings_sheet(struct sheet *out, const struct timeline *l, const struct opt_list *savings,
				 struct arena *a, struct err *e);
/* Ranks and collectives of several traces. */
struct sheet *read_ranks_sheet(const struct ranks *r, struct arena *a);

#endif
