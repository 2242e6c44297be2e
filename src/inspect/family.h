/* Inside inspect/: one family of requests. */
#ifndef ASSAY_INSPECT_FAMILY_H
#define ASSAY_INSPECT_FAMILY_H

#include "protocol/target.h"

struct inspection {
	struct protocol *p;
	const struct json *request; /* while it is frozen; NULL while it is read */
	struct json *frozen;
	struct target target;
	const char *folder; /* of the invocation, while it is read */
};
struct family {
	const char *name;        /* "ncu" */
	const char *format;      /* of its requests */
	const char *code;        /* of a request that is no such request */
	const char *contract;    /* format_version of its results */
	const char *record_type; /* of its results */
	const char *members;     /* of analyze, beyond those of every family (shape.h) */
	/* Checks its members against the Target and adds what is to be read to i->frozen. */
	bool (*freeze)(struct inspection *i, struct err *e);
	/* Adds observations, unmodeled, provenance and assay to `result`. False: i->p->code is the stop reason. */
	bool (*read)(struct json *result, struct inspection *i, struct err *e);
	const struct collecting *collecting;                      /* NULL: it has no collect */
	const char *collect_members;                              /* beyond COLLECT_MEMBERS */
	bool (*freeze_more)(struct inspection *i, struct err *e); /* of those; NULL: none */
};
/* The profiler's metric behind a published observation, "kernel.dram_bytes"; NULL: there is none. */
const char *ncu_published_metric(struct str semantic_id);

extern const struct family family_ncu, family_nsys, family_pytorch, family_compiler, family_sass;

#endif
