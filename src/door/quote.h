/* A command line as one text that a shell reads back as the same words. */
#ifndef ASSAY_DOOR_QUOTE_H
#define ASSAY_DOOR_QUOTE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/opt.h"

/* "assay VERB ..." of a request as opt_from_json takes it. */
const char *quote_request(struct arena *a, const struct opt_spec *spec, const struct json *request);

#endif
