// Zeros in the last, incomplete block.
#include "task.cuh"

__global__ void tiles(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = (blockIdx.x + 1) * blockDim.x <= n ? value(x[i]) : 0;
}

extern "C" void solve(const float *x, float *y, int N)
{
	tiles<<<(N + 255) / 256, 256>>>(x, y, N);
}
