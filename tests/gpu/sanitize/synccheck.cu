// Right, and half of a warp waits at a barrier that the other half does not reach.
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = 2 * x[i] + 1;
	if (threadIdx.x < 16)
		__syncthreads();
}

extern "C" void solve(const float *x, float *y, int N)
{
	scale<<<(N + 63) / 64, 64>>>(x, y, N);
}
