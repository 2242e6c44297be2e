/* Inside inspect/: `collect`, one call of a Target's driver under a profiler, whose report is then read like a material. */
#ifndef ASSAY_INSPECT_COLLECT_H
#define ASSAY_INSPECT_COLLECT_H

#include "inspect/family.h"

#define COLLECT_MEMBERS "baseline_ref:o role:s case_id:s ?experiment_ref:o ?correctness_ref:o"

/* How a family collects. */
struct collecting {
	const char *capability; /* that the driver declares */
	const char *tool;       /* frozen in the Target; NULL: the driver profiles itself */
	const char *operation;  /* in the driver's request */
	const char *kind;       /* sampling.kind */
	const char *dialect;    /* of the report that comes out */
	/* Words before the driver's own, NULL-terminated; `out` is the report without its extension. NULL with tool. */
	const char **(*wrap)(struct inspection *i, const char *tool, const char *out);
	/* From what the tool left to the file that is read; the tool's commands go into receipts. NULL: out and extension. */
	const char *(*export_report)(struct inspection *i, const char *tool, const char *report, struct json *receipts,
				     struct err *e);
	const char *extension;
};

MUST_USE bool collect_freeze(struct inspection *i, const struct family *f, struct err *e);
/* Makes the call, freezes the report, sets i->frozen's `material`, has f->read read it, adds receipts to the provenance. */
MUST_USE bool collect_read(struct json *result, struct inspection *i, const struct family *f, struct err *e);
/* Runs a command of the frozen tool; its receipt {argv, result}. */
MUST_USE bool collect_command(struct inspection *i, const char *const *argv, struct json *receipts, struct buf *out,
			      struct err *e);

#endif
