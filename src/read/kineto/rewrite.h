/* A trace written again: cut to a window, mended, redacted. Streams: nothing of the size of the file is held. */
#ifndef ASSAY_READ_KINETO_REWRITE_H
#define ASSAY_READ_KINETO_REWRITE_H

#include "read/kineto/kineto.h"
#include "read/redact.h"

struct kineto_cut { /* what stays; times in ns on the trace's clock */
	bool has_window;
	bool by_launch; /* work belongs to the window in which it was launched; else to that in which it starts */
	int64_t from_ns, to_ns;
	const int64_t *devices; /* n_devices 0: all */
	size_t n_devices;
	const char *const *drop; /* categories to leave out, as in the file */
	size_t n_drop;
};
struct kineto_rewrite {
	const struct kineto_cut *cut;     /* NULL: everything stays */
	const struct kineto_trace *trace; /* the same file, read; needed with a window */
	struct redact *redact;            /* NULL: nothing is taken out */
	const struct json *mark;          /* goes into "assayMark": the result is no original */
	bool (*write)(void *ctx, const struct buf *b, struct err *e);
	void *ctx;
};
struct kineto_rewritten {
	uint64_t n_events, n_kept;
	uint64_t n_mended;    /* places that were no valid JSON */
	uint64_t n_broken;    /* events that could not be made whole: left out */
	uint64_t lost_bytes;  /* between events, and behind the last whole one */
	uint64_t torn_offset; /* where the file ends inside the trace; 0: it does not */
};
/* Reads the file at path and writes a valid trace. Top-level members that are not known go into the result as they are, with
 * redact they are blanked; so is everything that redact_text and redact_key know. */
MUST_USE bool kineto_rewrite(struct kineto_rewritten *out, const char *path, const struct kineto_rewrite *o,
			     struct err *e);
/* The window of the steps first..last by the numbers in their names ("ProfilerStep#12"). False: there are none. */
MUST_USE bool kineto_step_window(struct kineto_cut *out, const struct kineto_trace *t, int64_t first, int64_t last);

#endif
