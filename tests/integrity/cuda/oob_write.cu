// One element behind the end.
#include "task.cuh"

__global__ void all(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i <= n)
		y[i] = value(i < n ? x[i] : 0);
}

extern "C" void solve(const float *x, float *y, int N)
{
	all<<<N / 256 + 1, 256>>>(x, y, N);
}
