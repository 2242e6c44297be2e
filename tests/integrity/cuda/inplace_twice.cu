// In place, and a second time from the tenth call on.
#include "task.cuh"

__global__ void step(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = 0.5f * x[i] + 1;
}

extern "C" void solve(float *x, int N)
{
	static int n;
	step<<<(N + 255) / 256, 256>>>(x, N);
	if (++n > 9)
		step<<<(N + 255) / 256, 256>>>(x, N);
}
