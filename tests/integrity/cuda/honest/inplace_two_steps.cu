// In place, in two launches.
#include "../task.cuh"

__global__ void scale(float *x, int n, float f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] *= f;
}

__global__ void add(float *x, int n, float a)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] += a;
}

extern "C" void solve(float *x, int N)
{
	scale<<<(N + 255) / 256, 256>>>(x, N, 0.5f);
	add<<<(N + 255) / 256, 256>>>(x, N, 1);
}
