/* compute-sanitizer's output, text or XML: what it found, where, by which thread. Text that the application printed between
 * is passed over. */
#ifndef ASSAY_READ_SANITIZER_SANITIZER_H
#define ASSAY_READ_SANITIZER_SANITIZER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"

enum sanitizer_tool {
	SANITIZER_MEMCHECK,
	SANITIZER_RACECHECK,
	SANITIZER_INITCHECK,
	SANITIZER_SYNCCHECK,
	SANITIZER_API
};
enum sanitizer_kind {
	SANITIZER_OUT_OF_BOUNDS,
	SANITIZER_MISALIGNED,
	SANITIZER_INVALID_ACCESS, /* memcheck, of another reason or none stated */
	SANITIZER_LEAK,
	SANITIZER_RACE,
	SANITIZER_UNINITIALIZED,
	SANITIZER_UNUSED_MEMORY,
	SANITIZER_BARRIER,
	SANITIZER_API_ERROR, /* a CUDA call failed; often the echo of a finding above it */
	SANITIZER_OTHER,
};
enum sanitizer_has {
	SANITIZER_HAS_ADDRESS = 1,
	SANITIZER_HAS_SIZE = 2,
	SANITIZER_HAS_THREAD = 4,
	SANITIZER_HAS_PC = 8,
	SANITIZER_BAD_UNIT = 16 /* of a size that is not in bytes */
};

struct sanitizer_place {
	struct str kernel; /* "oob(float *, int)" or "oob", as printed; may be empty */
	struct str file;   /* may be empty */
	uint64_t line;     /* 0: not known */
	uint64_t pc;       /* offset in the kernel */
	struct str access; /* "read", "write", "atomic"; may be empty */
};
struct sanitizer_finding {
	enum sanitizer_tool tool;
	enum sanitizer_kind kind;
	bool is_warning;  /* the tool's own level: warning, not error */
	unsigned has;     /* enum sanitizer_has */
	struct str text;  /* the tool's first line */
	struct str space; /* "global", "shared", "local"; may be empty */
	struct sanitizer_place at;
	struct sanitizer_place other; /* race: the other access; its file is empty when there is none */
	uint64_t address, size;       /* bytes */
	uint64_t thread[3], block[3];
	struct str note;    /* "1 bytes after the nearest allocation at 0x7f.. of size 400 bytes" */
	uint64_t n_hazards; /* race: as counted by the tool; otherwise 1 */
};
struct sanitizer_site { /* findings of one kind at one place */
	size_t i_first; /* its first finding */
	uint64_t n;     /* findings */
};
struct sanitizer_report {
	struct sanitizer_finding *findings; /* in order of printing, at most 65,536 */
	size_t n_findings, cap_findings;
	struct sanitizer_site *sites; /* in order of first appearance, at most 4,096 */
	size_t n_sites, cap_sites;
	uint64_t n_errors, n_warnings; /* all that were printed, also beyond the bounds */
	bool has_summary;              /* the tool came to its end (text) or the document is closed (XML) */
	uint64_t summary_errors;       /* of "ERROR SUMMARY" and the like */
	struct map unmodeled;          /* lines and elements of findings that are not known, at most 64 */
	struct str refused;            /* what is not written as in any form that is known; empty: none */
	struct str problem;            /* "Target application returned an error", a tool failure; empty: none */
};

bool sanitizer_is_output(struct str text); /* first 64 KiB */
/* `name` is for messages. Text in which the tool says nothing at all, or whose sizes, summary or records are not as known:
 * false. A cut file gives what stands before the cut,
 * has_summary is false then. Strings are copied into `a`. */
MUST_USE bool sanitizer_read(struct sanitizer_report *out, struct arena *a, const char *name, struct str text,
			     struct err *e);
const char *sanitizer_tool_name(enum sanitizer_tool t);
const char *sanitizer_kind_name(enum sanitizer_kind k);
struct json *sanitizer_json(const struct sanitizer_report *r, struct arena *a);

#endif
