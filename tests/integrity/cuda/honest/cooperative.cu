// Two steps with a barrier over the whole grid between them.
#include <cooperative_groups.h>

#include "../task.cuh"

namespace cg = cooperative_groups;

__global__ void both(const float *x, float *y, float *between, int n)
{
	int stride = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
	for (int i = first; i < n; i += stride)
		between[n - 1 - i] = value(x[i]);
	cg::this_grid().sync();
	for (int i = first; i < n; i += stride)
		y[i] = between[n - 1 - i];
}

extern "C" void solve(const float *x, float *y, int N)
{
	static float *between;
	if (!between)
		cudaMalloc(&between, 20000 * sizeof(float));
	void *args[] = {&x, &y, &between, &N};
	cudaLaunchCooperativeKernel((void *)both, dim3(64), dim3(128), args, 0, nullptr);
}
