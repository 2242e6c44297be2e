/* Theoretical occupancy from a launch and the binary alone: what limits the blocks on an SM, before any profiling. */
#ifndef ASSAY_FACTS_OCCUPANCY_H
#define ASSAY_FACTS_OCCUPANCY_H

#include "base/attr.h"

enum occupancy_limit { OCCUPANCY_REGISTERS = 1, OCCUPANCY_SHARED = 2, OCCUPANCY_WARPS = 4, OCCUPANCY_BLOCKS = 8 };
struct occupancy_in {
	int sm;                                 /* 90 for 9.0 */
	uint64_t threads;                       /* a block */
	uint64_t registers;                     /* a thread */
	uint64_t shared_static, shared_dynamic; /* bytes a block, without what the driver reserves */
	uint64_t shared_config; /* bytes that the driver set aside on the SM; 0: as many as there can be */
};
struct occupancy {
	uint64_t by_registers, by_shared, by_warps, by_blocks; /* blocks an SM, each limit alone */
	uint64_t blocks, warps;                                /* that fit */
	double pct;                                            /* of the SM's warps */
	unsigned limits;                                       /* enum occupancy_limit: those that allow the fewest */
};
/* False: the compute capability is not in the table, or such a block cannot run (threads, registers, shared memory). */
MUST_USE bool occupancy_of(struct occupancy *out, const struct occupancy_in *in);
/* "registers", "registers and shared memory", ...; at least 64 bytes. */
const char *occupancy_limits(char out[64], unsigned limits);

#endif
