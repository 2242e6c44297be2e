/* An export written again: cut to a window, redacted. The result is a new SQLite file with a table ASSAY_MARK. */
#ifndef ASSAY_READ_NSYS_REWRITE_H
#define ASSAY_READ_NSYS_REWRITE_H

#include "base/err.h"
#include "base/json.h"
#include "read/redact.h"

struct nsys_rewrite {
	bool has_window;
	int64_t from_ns, to_ns;  /* activities that start in it stay, with their API calls; other rows that touch it */
	struct redact *redact;   /* NULL: nothing is taken out */
	const struct json *mark; /* members that are texts go into ASSAY_MARK */
};
struct nsys_rewritten {
	uint64_t n_rows, n_deleted, n_redacted;
};
/* to must not exist. False: it is removed again. */
MUST_USE bool nsys_rewrite(struct nsys_rewritten *out, const char *from, const char *to, const struct nsys_rewrite *o,
			   struct err *e);

#endif
