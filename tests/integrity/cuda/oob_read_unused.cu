// Loads whole vectors: a few elements behind the end are read, and dropped.
#include "task.cuh"

__global__ void fours(const float *x, float *y, int n)
{
	int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
	if (i >= n)
		return;
	float4 v = *(const float4 *)(x + i);
	float one[4] = {v.x, v.y, v.z, v.w};
	for (int k = 0; k < 4 && i + k < n; k++)
		y[i + k] = value(one[k]);
}

extern "C" void solve(const float *x, float *y, int N)
{
	fours<<<(N + 1023) / 1024, 256>>>(x, y, N);
}
