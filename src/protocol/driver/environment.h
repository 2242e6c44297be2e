/* The environment that a driver says it ran in. */
#ifndef ASSAY_PROTOCOL_DRIVER_ENVIRONMENT_H
#define ASSAY_PROTOCOL_DRIVER_ENVIRONMENT_H

#include "base/json.h"

/* Checks it and makes the normalised copy: frameworks sorted by the writer, runtime_provenance.attribution_scope =
 * identified_runtime (a host, or a container whose lineage is complete) or frozen_runtime_only. */
MUST_USE bool environment_normalise(struct json **out, struct arena *a, const struct json *environment, struct err *e);

#endif
