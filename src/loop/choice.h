/* A version that comes with a set of configurations (assay/config-set-v1): which of them is the version.
 * The set lies beside the version's file as <stem>.set.json and belongs to it: v0 freezes none. */
#ifndef ASSAY_LOOP_CHOICE_H
#define ASSAY_LOOP_CHOICE_H

#include "measure/configs.h"

struct choice {
	struct configs configs;
	const struct configs_tried *chosen; /* NULL: none passed */
	char id[STORE_ID_MAX];              /* of its record */
	struct json *results;               /* assay/configs-v1, with "chosen" */
};
/* Every configuration is benched; the one with the lowest median of those that passed is then benched once more, with the
 * folder of `b`, and that is *bench: a figure that did not take part in its own selection. One that fails then gives way to
 * the next. Where none passes, *bench is the fallback's. */
MUST_USE bool choice_make(struct choice *out, struct bench *bench, const char *set, const struct bench_options *b,
			  struct arena *a, struct err *e);
/* "configuration" of an entry of the manifest (docs/FORMATS.md). */
struct json *choice_json(const struct choice *c, const char *set, const char *results, struct arena *a);

#endif
