/* A bounded set of configurations of one kernel: values of macros that its file uses as template parameters (tile shape,
 * stages, cluster, schedule). Everything is named before anything is built. */
#ifndef ASSAY_OPERATOR_CONFIG_SET_H
#define ASSAY_OPERATOR_CONFIG_SET_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum { CONFIG_SET_MOST = 32, CONFIG_SET_LIMIT = 256 }; /* configurations without "most"; the largest "most" */

struct config {
	const char *id;       /* as the set names it, else "TILE_M=128,STAGES=3" */
	const char *switches; /* "-DTILE_M=128 -DSTAGES=3" */
	struct json *values;  /* macro -> number or text */
};
struct config_set {
	const char *path;
	struct config *items;
	size_t n, n_excluded; /* n_excluded: of the product, by "where" */
	size_t i_fallback;    /* the one that stands where a better one does not; the first unless named */
};
/* Format assay/config-set-v1 (docs/FORMATS.md). ERR_INPUT: the file and the place. */
MUST_USE bool config_set_read(struct config_set *out, struct arena *a, const char *path, struct err *e);
/* The set that belongs to a kernel's file: <stem>.set.json beside it. NULL: there is none. */
const char *config_set_beside(struct arena *a, const char *kernel);
/* [{id, switches, values}] */
struct json *config_set_json(const struct config_set *s, struct arena *a);

#endif
