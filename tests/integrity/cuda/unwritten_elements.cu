// Every seventh element is never written.
#include "task.cuh"

__global__ void most(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && i % 7 != 3)
		y[i] = value(x[i]);
}

extern "C" void solve(const float *x, float *y, int N)
{
	most<<<(N + 255) / 256, 256>>>(x, y, N);
}
