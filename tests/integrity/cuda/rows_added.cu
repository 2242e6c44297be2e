// Parts of a row are added to what is there.
#include "task.cuh"

__global__ void add(const float *x, float *y, int n)
{
	float s = 0;
	for (int c = blockIdx.y * blockDim.x + threadIdx.x; c < n; c += gridDim.y * blockDim.x)
		s += x[(long)blockIdx.x * n + c];
	atomicAdd(&y[blockIdx.x], s);
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	add<<<dim3(M, 2), 64>>>(x, y, N);
}
