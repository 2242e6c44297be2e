// Parts of a row from several blocks, added by atomics to what was set to zero: no two calls add in the same order.
#include "../task.cuh"

__global__ void add(const float *x, float *y, int n)
{
	float s = 0;
	for (int c = blockIdx.y * blockDim.x + threadIdx.x; c < n; c += gridDim.y * blockDim.x)
		s += x[(long)blockIdx.x * n + c];
	atomicAdd(&y[blockIdx.x], s);
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	cudaMemsetAsync(y, 0, (size_t)M * 4);
	add<<<dim3(M, 4), 32>>>(x, y, N);
}
