// A pointer that was never set.
#include "task.cuh"

static __device__ float *nowhere;

__global__ void lost(const float *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		nowhere[i] = value(x[i]);
}

extern "C" void solve(const float *x, float *y, int N)
{
	(void)y;
	lost<<<1, 256>>>(x, N);
}
