/* `assay read FILE`: any report as facts. */
#ifndef ASSAY_VERB_READ_H
#define ASSAY_VERB_READ_H

#include "base/opt.h"

struct read_options {
	struct opt_list files;
	bool json, csv, details;
	const char *metrics, *filter, *sort, *columns, *table;
	int64_t top;
};
extern const struct opt_spec read_spec;
/* Prints to stdout. *status: 0, or 2 when the file is damaged (what could be read is printed all the same). False: nothing
 * could be read. */
MUST_USE bool read_run(const struct read_options *o, int *status, struct err *e);

#endif
