/* Ids of stored results where compare wants kernel files. */
#ifndef ASSAY_VERB_COMPARE_RECORDS_H
#define ASSAY_VERB_COMPARE_RECORDS_H

#include "verb/verb.h"

/* "bench-<32 hex>": the id of a stored record. */
bool compare_is_record(const char *text);
/* Times that lie in the store cannot be compared: err says why. Always false. */
MUST_USE bool compare_refuse_records(const struct opt_list *args, const char *root, struct verb_call *call,
				     struct err *e);

#endif
