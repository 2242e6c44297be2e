/* Theoretical occupancy.
 * In: compute capability and resources of a block.
 * Out: blocks an SM by each limit.
 * Never: guesses a compute capability that the table lacks. */
#include "facts/occupancy.h"

#define REGISTERS 65536u /* an SM, every capability from 5.0 */
#define QUARTERS 4u      /* parts of an SM that warps and registers are given out in */
#define REGISTER_UNIT 256u
#define WARP 32u

struct arch {
	int sm;
	uint64_t warps, blocks, shared, reserved, unit;
};
static const struct arch archs[] = {
#define OCCUPANCY(sm, warps, blocks, shared, reserved, unit) {sm, warps, blocks, shared, reserved, unit},
#include "facts/occupancy.def"
#undef OCCUPANCY
};

static uint64_t up(uint64_t v, uint64_t unit)
{
	return (v + unit - 1) / unit * unit;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool occupancy_of(struct occupancy *out, const struct occupancy_in *in)
{
	const struct arch *a = NULL;
	for (size_t i = 0; i < COUNT_OF(archs); i++)
		a = archs[i].sm == in->sm ? &archs[i] : a;
	if (!a || !in->threads || in->threads > 1024 || in->registers > 255 || in->shared_static > a->shared ||
	    in->shared_dynamic > a->shared)
		return false;
	uint64_t warps = up(in->threads, WARP) / WARP;
	uint64_t of_warp = up((in->registers ? in->registers : 1) * WARP, REGISTER_UNIT);
	uint64_t shared = up(in->shared_static + in->shared_dynamic + a->reserved, a->unit);
	uint64_t config = in->shared_config ? in->shared_config : a->shared;
	*out = (struct occupancy){
		.by_registers = REGISTERS / QUARTERS / of_warp * QUARTERS / warps,
		.by_shared = shared ? config / shared : a->blocks,
		.by_warps = a->warps / warps,
		.by_blocks = a->blocks,
	};
	out->blocks = least(least(out->by_registers, out->by_shared), least(out->by_warps, out->by_blocks));
	out->warps = out->blocks * warps;
	out->pct = 100 * (double)out->warps / (double)a->warps;
	out->limits = (out->by_registers == out->blocks ? OCCUPANCY_REGISTERS : 0u) |
		      (out->by_shared == out->blocks ? OCCUPANCY_SHARED : 0u) |
		      (out->by_warps == out->blocks ? OCCUPANCY_WARPS : 0u) |
		      (out->by_blocks == out->blocks ? OCCUPANCY_BLOCKS : 0u);
	return out->blocks > 0;
}

const char *occupancy_limits(char out[64], unsigned limits)
{
	static const char *const names[] = {"registers", "shared memory", "warps", "blocks"};
	size_t n = 0;
	out[0] = 0;
	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		if (limits >> i & 1)
			n += (size_t)snprintf(out + n, 64 - n, "%s%s", n ? " and " : "", names[i]);
	}
	return out;
}
