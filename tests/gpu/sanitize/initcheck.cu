// Right, and reads its output before anything was written there.
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float old = *(volatile float *)&y[i];
		y[i] = 2 * x[i] + (old == 1e30f ? 1 : 1.0f);
	}
}

extern "C" void solve(const float *x, float *y, int N)
{
	scale<<<(N + 63) / 64, 64>>>(x, y, N);
}
