// Right, and a thread reads what another one may still write: all write the same.
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	__shared__ float s[2];
	*(volatile float *)&s[threadIdx.x % 2] = 1;
	if (i < n)
		y[i] = 2 * x[i] + *(volatile float *)&s[(threadIdx.x + 1) % 2];
}

extern "C" void solve(const float *x, float *y, int N)
{
	scale<<<(N + 63) / 64, 64>>>(x, y, N);
}
