/* Kernel names that hold over versions, builds and autotuning, in three steps: each takes away more of what changes without
 * a change of meaning. Two kernels are one when they agree at the first step at which both sides have a name for it. */
#ifndef ASSAY_FACTS_KERNEL_NAME_H
#define ASSAY_FACTS_KERNEL_NAME_H

#include "base/arena.h"

enum kernel_name_step {
	KERNEL_NAME_EXACT, /* as written */
	/* "void " before, the parameter list behind, ".kd" of ROCm, hashes (tokens of 8 and more hexadecimal digits between
	 * underscores), Triton's argument code (_0d1d2de) and number (_12), ".constprop.0" and its like taken away */
	KERNEL_NAME_BUILD,
	/* and template arguments, tile sizes (128x64, stages4), numbers at the end of words between underscores */
	KERNEL_NAME_FAMILY,
	KERNEL_NAME_STEPS
};
const char *kernel_name_step(enum kernel_name_step s); /* "exact", "build", "family" */
struct str kernel_name_at(struct arena *a, struct str name, enum kernel_name_step s);

/* The qualified name alone, of a mangled name (Itanium C++ ABI, section 5.1) or a demangled one: "app::scale" of
 * "_ZN3app5scaleIfLi4EEEvPT_i" and of "void app::scale<float, 4>(float *, int)". A mangled name that cannot be read stays as it
 * is. At the step KERNEL_NAME_FAMILY. */
struct str kernel_name_base(struct arena *a, struct str name);

#endif
