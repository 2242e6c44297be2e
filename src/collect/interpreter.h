/* The Python interpreter: where it is, and which packages it holds. */
#ifndef ASSAY_COLLECT_INTERPRETER_H
#define ASSAY_COLLECT_INTERPRETER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

/* python3 or `wanted` on PATH; NULL when absent. */
const char *interpreter_find(struct arena *a, const char *wanted);
/* {"version","executable","torch":{"version","path"}|null,"triton":...,"cutlass_include":FOLDER|null}, from the package
 * metadata: nothing is imported. Cached by the interpreter, the environment that steers it, and the mtimes of the folders it
 * imports from, so that a package that comes or goes is seen. ERR_ENVIRONMENT: what the interpreter did instead. */
MUST_USE struct json *interpreter_packages(struct arena *a, const char *python, int64_t timeout_ns, struct err *e);
/* Really imports torch and triton (seconds): {"torch":{"version","cuda","cuda_available","n_devices","device"} or {"error"},
 * "triton":{"version"} or {"error"}}. `gpu`: UUID of the only GPU that torch may see, or NULL. Never cached. */
MUST_USE struct json *interpreter_import(struct arena *a, const char *python, const char *gpu, int64_t timeout_ns,
					 struct err *e);

#endif
