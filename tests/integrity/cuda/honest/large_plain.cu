// The output first, a long between the tensors, 64 MiB of each.
#include "../task.cuh"

__global__ void scale(float *y, long n, const float *x)
{
	for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
		y[i] = 2 * x[i] + 1;
}

extern "C" void solve(float *y, long N, const float *x)
{
	scale<<<1024, 256>>>(y, N, x);
}
