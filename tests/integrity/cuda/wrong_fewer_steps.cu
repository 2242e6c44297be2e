// Three steps fewer: near, but not right.
#include "task.cuh"

__global__ void fewer(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float v = x[i];
	for (int k = 0; k < 37; k++)
		v = v * 0.96875f + 0.03125f / (1 + v * v);
	y[i] = v;
}

extern "C" void solve(const float *x, float *y, int N)
{
	fewer<<<(N + 255) / 256, 256>>>(x, y, N);
}
