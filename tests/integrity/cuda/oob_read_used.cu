// The last element takes its neighbour behind the end into account.
#include "task.cuh"

__global__ void pairs(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = value(i < n - 1 ? x[i] : x[i + 1]);
}

extern "C" void solve(const float *x, float *y, int N)
{
	pairs<<<(N + 255) / 256, 256>>>(x, y, N);
}
