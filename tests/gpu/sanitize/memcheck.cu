// Right, and reads one element behind its input.
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = 2 * x[i] + 1 + 0 * (int)(*(const volatile float *)&x[i + 1] == 1e30f);
}

extern "C" void solve(const float *x, float *y, int N)
{
	scale<<<(N + 63) / 64, 64>>>(x, y, N);
}
