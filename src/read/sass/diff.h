/* Two builds of the same kernels: resources, opcode mix, mechanisms that came and went. Kernels are matched by mangled name
 * and, where both sides state it, architecture family ("sm_90" and "sm_90a" are one). */
#ifndef ASSAY_READ_SASS_DIFF_H
#define ASSAY_READ_SASS_DIFF_H

#include "read/elf/elf.h"
#include "read/sass/signature.h"

enum diff_state { DIFF_SAME, DIFF_CHANGED, DIFF_ADDED, DIFF_REMOVED };
const char *diff_state_name(enum diff_state s); /* "same", "changed", "added", "removed" */

struct diff_count {
	struct str name; /* opcode with modifiers, or resource */
	uint64_t before, after;
	bool has_before, has_after; /* resources: whether the side states it */
};
struct diff_kernel {
	struct str name, arch;
	enum diff_state state;
	struct diff_count *counts; /* those that differ, largest change first */
	size_t n_counts;
	const char **gained, **lost; /* mechanisms shown on one side only; NULL for binaries */
	size_t n_gained, n_lost;
	uint64_t n_before, n_after; /* SASS: instructions; binaries: bytes of code */
};
struct diff {
	struct diff_kernel *v; /* those of the first side in order, then what was added */
	size_t n;
	size_t n_same;
};

void diff_sass(struct diff *out, struct arena *a, const struct sass_listing *before, const struct sass_listing *after);
void diff_elf(struct diff *out, struct arena *a, const struct elf_file *before, const struct elf_file *after);
/* {"kernels":[{name,arch,state,before,after,changes:[{name,before,after}],mechanisms_gained,mechanisms_lost}],"n_same"} */
struct json *diff_json(const struct diff *d, struct arena *a);

#endif
