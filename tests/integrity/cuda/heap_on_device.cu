// malloc and free in the kernel.
#include "task.cuh"

__global__ void own(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float *p = (float *)malloc(4);
	if (i < n && p) {
		*p = value(x[i]);
		y[i] = *p;
	}
	free(p);
}

extern "C" void solve(const float *x, float *y, int N)
{
	own<<<(N + 255) / 256, 256>>>(x, y, N);
}
