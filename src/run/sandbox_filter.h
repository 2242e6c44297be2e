/* The seccomp filters of the sandbox, as BPF programs made by libseccomp. For run/ only. */
#ifndef ASSAY_RUN_SANDBOX_FILTER_H
#define ASSAY_RUN_SANDBOX_FILTER_H

#include "run/sandbox.h"

#define SANDBOX_MAX_FILTER 4096 /* instructions: BPF_MAXINSNS */

struct sandbox_filter {
	void *code; /* struct sock_filter[n]; malloc'ed */
	unsigned short n;
};
/* The filter that is there from the start. protect_pid: the parent, which must not be signalled, limited or pinned even
 * where Landlock has no scopes. */
MUST_USE bool sandbox_filter_start(struct sandbox_filter *out, const struct sandbox_plan *plan, int protect_pid,
				   struct err *e);
/* The filter of the seal: no new processes, no new programs. */
MUST_USE bool sandbox_filter_seal(struct sandbox_filter *out, struct err *e);
void sandbox_filter_release(struct sandbox_filter *f);

#endif
