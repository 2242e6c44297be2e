// A barrier over more blocks than can be resident: the first ones wait for those that cannot start.
#include "task.cuh"

static __device__ volatile unsigned arrived;

__global__ void all_together(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (threadIdx.x == 0) {
		atomicAdd((unsigned *)&arrived, 1);
		while (arrived < gridDim.x)
			;
	}
	__syncthreads();
	if (i < n)
		y[i] = value(x[i]);
}

extern "C" void solve(const float *x, float *y, int N)
{
	all_together<<<100000, 1024>>>(x, y, N);
}
