/* Operator to artifact: a shared object and what the compiler said, or "does not build" (a verdict, not an err). Backend c:
 * cc -shared; cuda and cutlass: nvcc -shared with the static runtime. Cached by source, included files, flags, compiler. */
#ifndef ASSAY_BUILD_BUILD_H
#define ASSAY_BUILD_BUILD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sha256.h"

enum build_language { BUILD_C, BUILD_CPP, BUILD_CUDA };
struct build_options {
	const char *source; /* path */
	enum build_language language;
	const char *entry;  /* name in the source: "solve" */
	int sm;             /* BUILD_CUDA: 90; arch wins when given */
	const char *arch;   /* "sm_90a" or NULL */
	const char *flags;  /* extra flags of the user, split at spaces, or NULL */
	const char *nvcc;   /* path or name, NULL: found (PATH, CUDA_HOME, /usr/local/cuda) */
	const char *folder; /* the artifact and logs go there; made when absent */
	const char *name;   /* file name without extension: "kernel" */
	int64_t timeout_ns; /* 0: 300 s */
	unsigned options;   /* enum build_option_flags */
	bool cutlass;       /* its headers and sm_90a for sm 90; so also where the source includes cutlass/ or cute/ */
};
enum build_option_flags { BUILD_NO_CACHE = 1, BUILD_CXX_LINKAGE = 2 /* the entry's symbol is mangled */ };

enum build_result { BUILD_OK, BUILD_FAILED, BUILD_TIMED_OUT, BUILD_NO_SYMBOL };
struct artifact {
	enum build_result result;
	const char *library;     /* path of the shared object; NULL unless BUILD_OK */
	const char *symbol;      /* as dlsym wants it: "solve" or "_Z5solvePKfPfi" */
	char sha256[SHA256_HEX]; /* of the shared object */
	const char *command;     /* shell-quoted */
	const char *compiler;    /* resolved path */
	const char *version;     /* first line that names it */
	struct str log;          /* stdout and stderr of the compiler */
	const char *message;     /* BUILD_FAILED: first error as "file:line: message" */
	int64_t compile_ns;      /* of the compile that made it, also on a hit */
	bool from_cache;
	struct json *facts; /* per kernel: registers, shared memory, spills, stack, barriers, constant memory */
};

/* ERR_ENVIRONMENT: no compiler (which, where it was looked for, what to install). */
MUST_USE bool build_make(struct artifact *out, struct arena *a, const struct build_options *o, struct err *e);
/* The command that build_make would run, shell-quoted; nothing is started (CUTLASS in a Python package is not found). */
MUST_USE const char *build_command(struct arena *a, const struct build_options *o, struct err *e);
/* nvcc as build_make would find it; NULL when absent. */
const char *build_find_nvcc(struct arena *a, const char *wanted);
const char *build_find_cc(struct arena *a, enum build_language language);
struct json *artifact_json(struct arena *a, const struct artifact *x);

#endif
