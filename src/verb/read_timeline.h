/* Sheets of a timeline, for the verb `read`. */
#ifndef ASSAY_VERB_READ_TIMELINE_H
#define ASSAY_VERB_READ_TIMELINE_H

#include "base/opt.h"
#include "read/sheet.h"
#include "timeline/timeline.h"

/* timeline links overlap concurrency idle gaps ceilings launching ranges steps path groups; NULL beyond the last. */
const char *read_timeline_name(size_t i);
bool read_timeline_is(const char *table); /* one of these names */
#define READ_TIMELINE_SHEETS 12
/* All of them; "timeline", and "links" where it has rows, are shown when none is named. */
struct sheet *read_timeline_sheets(const struct timeline *l, struct arena *a, size_t *n);
/* "timeline" and "links" alone, of a brief timeline. */
struct sheet *read_timeline_brief(const struct timeline *l, struct arena *a, size_t *n);
/* "PATTERN=PERCENT[+PERCENT]": how much shorter what matches gets, and what is added to the whole. */
MUST_USE bool read_savings_sheet(struct sheet *out, const struct timeline *l, const struct opt_list *savings,
				 struct arena *a, struct err *e);
struct read_job;
struct ranks;
/* One table of the readers (o->table) over all ranks. False: there is none of that name with a time. */
MUST_USE bool read_rank_table(struct sheet *out, const struct read_job *jobs, const struct ranks *ranks, size_t n,
			      struct err *e);
/* Time by kernel name of a family (facts/kernel_name.h): what builds and autotuning rename stays one row. */
void read_groups_sheet(struct sheet *out, const struct timeline *l, struct arena *a);

#endif
