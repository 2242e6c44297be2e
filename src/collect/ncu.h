/* Nsight Compute over our own runner: one steady launch of the measured version, with the clocks as they are. */
#ifndef ASSAY_COLLECT_NCU_H
#define ASSAY_COLLECT_NCU_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "operator/operator.h"

enum ncu_set { NCU_SET_TARGETED, NCU_SET_FULL };
struct ncu_collect {
	const char *program; /* assay's binary */
	const char *ncu;     /* resolved path */
	const char *gpu;     /* UUID */
	const struct operator* op;
	const char *library, *symbol, *data; /* data: run/job.h */
	bool returns_int;
	const struct guest *guest;  /* written in Python; NULL: native */
	const char *folder;         /* reports, texts and the job that the command names go there */
	const char *scratch;        /* private, writable */
	const char *const *kernels; /* mangled names that this version launched; NULL-terminated; NULL: unknown */
	double timeout_s;
};
struct ncu_collected {
	const char *report;  /* path, or NULL */
	const char *command; /* shell-quoted, with the GPU it saw; what it names stays in the folder */
	const char *reason;  /* why there is no report that counts ("profile_incomplete:<reason>"), or NULL */
	double seconds;
	size_t n_results;
};
/* Collects into FOLDER/{targeted,full}.ncu-rep and writes *_summary.txt and *_details.txt beside it. A report counts only
 * if it parses and holds a kernel that this version launched; else `reason` says why and the report is kept as it is. */
MUST_USE bool ncu_collect(struct ncu_collected *out, struct arena *a, enum ncu_set set, const struct ncu_collect *o,
			  struct err *e);
struct ncu_collection; /* one that has begun; in the arena */
/* ncu_collect in halves. waits (a kernel in Python only): its interpreter starts and imports, and touches no device before
 * ncu_end; so two can start together and still collect one after the other. NULL with err; else ncu_end must follow; `seconds` count from there. */
MUST_USE struct ncu_collection *ncu_begin(struct arena *a, enum ncu_set set, const struct ncu_collect *o, bool waits,
					  struct err *e);
/* Until its imports are done, so that they load no CPU while the other one collects; or it has ended, or the time is up. */
void ncu_await(const struct ncu_collection *c, int64_t most_ns);
MUST_USE bool ncu_end(struct ncu_collected *out, struct ncu_collection *c, struct err *e);
const char *ncu_set_name(enum ncu_set s); /* "targeted", "full" */
/* As the preflight looks for it (build/tool.h); NULL when absent. */
const char *ncu_find(struct arena *a, const char *wanted);

#endif
