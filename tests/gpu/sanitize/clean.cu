// Right, and nothing to find: shared memory with its barriers.
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	__shared__ float s[64];
	s[threadIdx.x] = i < n ? x[i] : 0;
	__syncthreads();
	if (i < n)
		y[i] = 2 * s[threadIdx.x] + 1;
}

extern "C" void solve(const float *x, float *y, int N)
{
	scale<<<(N + 63) / 64, 64>>>(x, y, N);
}
