/* What the verb `profile` prints. */
#ifndef ASSAY_VERB_PROFILE_PRINT_H
#define ASSAY_VERB_PROFILE_PRINT_H

#include "collect/profile.h"
#include "verb/verb.h"

/* What came out: state, reports, the first tables of the best one; sets the exit status. */
MUST_USE bool profile_show(const struct profile_collected *p, const struct verb_common *common, struct verb_call *call,
			   struct err *e);

#endif
