// Clusters of two blocks that read each other's shared memory.
#include <cooperative_groups.h>

#include "../task.cuh"

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) pairs(const float *x, float *y, int n)
{
	__shared__ float s[128];
	cg::cluster_group c = cg::this_cluster();
	unsigned other = c.block_rank() ^ 1;
	int own = blockIdx.x * 128 + threadIdx.x, theirs = (blockIdx.x ^ 1) * 128 + threadIdx.x;
	s[threadIdx.x] = own < n ? value(x[own]) : 0;
	c.sync();
	if (theirs < n)
		y[theirs] = c.map_shared_rank(s, other)[threadIdx.x];
	c.sync();
}

extern "C" void solve(const float *x, float *y, int N)
{
	pairs<<<2 * ((N + 255) / 256), 128>>>(x, y, N);
}
