// Adds to what is there.
#include "task.cuh"

__global__ void count(const int *x, int *h, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&h[x[i]], 1);
}

extern "C" void solve(const int *x, int *h, int N, int B)
{
	(void)B;
	count<<<(N + 255) / 256, 256>>>(x, h, N);
}
