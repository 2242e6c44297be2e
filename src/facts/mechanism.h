/* Mechanism keys: what a proposal's tags, an experiment's mechanism_key, a SASS signature and a knowledge card mean by the
 * same word. The table is facts/mechanism.def. */
#ifndef ASSAY_FACTS_MECHANISM_H
#define ASSAY_FACTS_MECHANISM_H

#include "base/str.h"

struct mechanism {
	const char *key;    /* "vectorized_access": also a strategy tag */
	const char *domain; /* "memory": domain.key is the published mechanism key */
	const char *title;
};

/* Key, domain.key or alias; case, '-' and blanks against '_' do not matter. NULL: not in the table. */
const struct mechanism *mechanism_find(struct str name);
const struct mechanism *mechanism_at(size_t i); /* in table order; NULL beyond the end */
/* The i-th other spelling and the key it stands for; false beyond the end. */
bool mechanism_alias(size_t i, const char **alias, const char **key);

#endif
