/* What a compiler said: per-kernel resources from `ptxas -v`, and the messages of nvcc, ptxas, nvlink, gcc, clang and ld
 * as file, line, column, text. Any text is accepted: what is no message is passed over. */
#ifndef ASSAY_READ_PTXAS_PTXAS_H
#define ASSAY_READ_PTXAS_PTXAS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "read/resource.h"

enum ptxas_severity { PTXAS_ERROR, PTXAS_WARNING, PTXAS_NOTE, PTXAS_INFO }; /* "fatal" is an error */

struct ptxas_message {
	enum ptxas_severity severity;
	struct str tool;   /* "nvcc", "ptxas", "nvlink", "cc" (gcc, clang and the CUDA front end), "ld" */
	struct str file;   /* empty when the message names none */
	uint64_t line;     /* 1-based; 0: none */
	uint64_t column;   /* 1-based; 0: none */
	struct str code;   /* "177-D", "C7510", "-Wunused-variable"; may be empty */
	struct str text;   /* one line */
	struct str kernel; /* the entry function that ptxas was compiling; may be empty */
};

struct ptxas_kernel {    /* one per (name, architecture), in order of first appearance */
	struct str name; /* mangled */
	struct str arch; /* "sm_90a"; empty when the log does not say */
	bool is_entry;   /* false: a device function that was not inlined */
	struct resources r;
};

struct ptxas_log {
	struct ptxas_kernel *kernels;
	size_t n_kernels, cap_kernels;
	struct ptxas_message *messages;
	size_t n_messages, cap_messages;
	size_t n_errors, n_warnings; /* all, also beyond the bound below */
	struct map unmodeled;        /* what a kernel has a number of and we do not know, at most 64 */
	struct str problem;          /* a line of resources that is not written as it was; empty: none */
	size_t n_dropped;            /* messages beyond 4,096 and kernels beyond 65,536: counted, not kept */
};

/* Strings are copied into `a`. Never fails. */
void ptxas_read(struct ptxas_log *out, struct arena *a, struct str text);
/* NULL when absent. An empty arch matches the first kernel of that name. */
const struct ptxas_kernel *ptxas_find(const struct ptxas_log *log, struct str name, struct str arch);
/* The error to show first: the first one with a file and line, else the first one, else NULL. */
const struct ptxas_message *ptxas_first_error(const struct ptxas_log *log);
const char *ptxas_severity_name(enum ptxas_severity s);
/* "a.cu:2:10: error: text [code]", without what is missing. */
void ptxas_message_write(struct buf *out, const struct ptxas_message *m);
/* {"kernels": [...], "messages": [...], "n_errors", "n_warnings", "n_dropped"} */
struct json *ptxas_json(const struct ptxas_log *log, struct arena *a);

#endif
