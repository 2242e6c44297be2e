/* The candidate's entry point: a shared object, a symbol, its parameters; called through libffi. */
#ifndef ASSAY_PROBE_ENTRY_H
#define ASSAY_PROBE_ENTRY_H

#include "base/err.h"
#include "wire/message.h"

#define ENTRY_MAX_ARGS 64

struct entry;
enum entry_fault { ENTRY_FINE, ENTRY_LOAD_FAILED, ENTRY_NO_SYMBOL };

/* dlopen and dlsym. This runs the object's constructors: candidate code. NULL with *fault and err; err is for people. */
MUST_USE struct entry *entry_open(const char *library, const char *symbol, const struct wire_arg *args, size_t n_args,
				  enum entry_fault *fault, struct err *e);
/* Fixes scalar values; bits: one u64 per argument. */
void entry_set_scalars(struct entry *x, const uint64_t *bits, size_t n);
/* addresses: one per tensor index. Returns what an int entry returned; 0 for void ones (any value is read as int). */
int entry_call(struct entry *x, void *const *addresses);
size_t entry_n_tensors(const struct entry *x);

#endif
