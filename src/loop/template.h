/* The template of a proposal, per backend. */
#ifndef ASSAY_LOOP_TEMPLATE_H
#define ASSAY_LOOP_TEMPLATE_H

#include "base/err.h"
#include "base/json.h"

struct template_input {
	size_t i; /* of the version whose folder it goes to */
	const char *backend;
	const struct json *constraints; /* of the step that follows; NULL: none */
};
/* Written once: an existing file is left alone. */
MUST_USE bool template_write(const char *path, struct arena *a, const struct template_input *in, struct err *e);

#endif
