// Writes whole groups of 32.
#include "task.cuh"

__global__ void rounded(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	y[i] = i < n ? value(x[i]) : 0;
}

extern "C" void solve(const float *x, float *y, int N)
{
	rounded<<<(N + 63) / 32, 32>>>(x, y, N);
}
