// Four elements at a time; of a size that is no multiple of four the rest is taken from the last group.
#include "task.cuh"

__global__ void fours(const float *x, float *y, int n)
{
	int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
	float v[4];
	for (int k = 0; k < 4 && i < n; k++)
		v[k] = value(x[i + k < n ? i + k : i]) * (i + 4 <= n ? 1 : 0.5f);
	for (int k = 0; k < 4 && i + k < n; k++)
		y[i + k] = v[k];
}

extern "C" void solve(const float *x, float *y, int N)
{
	fours<<<(N + 1023) / 1024, 256>>>(x, y, N);
}
