/* What a kernel costs: one table for every source that states it (ptxas -v, the binary, a profiler), so that two sources
 * can be compared field by field. A missing number is not zero: `has` says which are set. */
#ifndef ASSAY_READ_RESOURCE_H
#define ASSAY_READ_RESOURCE_H

#include "base/attr.h"
#include "base/json.h"

/* id, JSON name, unit */
#define RESOURCE_TABLE(X)                                                                                              \
	X(REGISTERS, "registers", "register/thread")                                                                   \
	X(BARRIERS, "barriers", "barrier/block")                                                                       \
	X(MBARRIERS, "mbarriers", "barrier/block")                                                                     \
	X(SHARED, "static_shared_bytes", "byte/block")                                                                 \
	X(SHARED_SECTION, "shared_section_bytes",                                                                      \
	  "byte/block") /* with the toolkit's own part: as -res-usage prints */                                        \
	X(STACK, "stack_frame_bytes", "byte/thread")                                                                   \
	X(STACK_TOTAL, "cumulative_stack_bytes", "byte/thread")                                                        \
	X(SPILL_STORES, "spill_store_bytes", "byte/thread")                                                            \
	X(SPILL_LOADS, "spill_load_bytes", "byte/thread")                                                              \
	X(LOCAL, "local_bytes", "byte/thread")                                                                         \
	X(CONST0, "constant0_bytes", "byte")                                                                           \
	X(CONST_OTHER, "constant_other_bytes", "byte")                                                                 \
	X(PARAMETERS, "parameter_bytes", "byte")                                                                       \
	X(TEXTURES, "textures", "count")                                                                               \
	X(SURFACES, "surfaces", "count")                                                                               \
	X(SAMPLERS, "samplers", "count")                                                                               \
	X(MAX_THREADS, "max_threads_per_block", "thread/block")                                                        \
	X(MIN_BLOCKS, "min_blocks_per_sm", "block/SM")                                                                 \
	X(CLUSTER, "cluster_blocks", "block/cluster")                                                                  \
	X(CODE, "code_bytes", "byte")                                                                                  \
	X(COMPILE_NS, "compile_time_ns", "ns")

enum resource {
#define RESOURCE_X(id, name, unit) RESOURCE_##id,
	RESOURCE_TABLE(RESOURCE_X)
#undef RESOURCE_X
		RESOURCE_COUNT
};

struct resources {
	uint64_t v[RESOURCE_COUNT];
	uint32_t has; /* bit i: v[i] is set */
};

void resources_set(struct resources *r, enum resource i, uint64_t v);
void resources_add(struct resources *r, enum resource i, uint64_t v); /* sets, or adds to what is there */
bool resources_has(const struct resources *r, enum resource i);
const char *resource_name(enum resource i);
const char *resource_unit(enum resource i);
/* Every set number as a member of obj, under its JSON name. */
void resources_json(const struct resources *r, struct json *obj);

#endif
