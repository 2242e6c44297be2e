// Counts of a block in shared memory, then atomics.
#include "../task.cuh"

__global__ void count(const int *x, int *h, int n, int b)
{
	extern __shared__ int own[];
	for (int i = threadIdx.x; i < b; i += blockDim.x)
		own[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&own[x[i]], 1);
	__syncthreads();
	for (int i = threadIdx.x; i < b; i += blockDim.x)
		atomicAdd(&h[i], own[i]);
}

extern "C" void solve(const int *x, int *h, int N, int B)
{
	cudaMemsetAsync(h, 0, (size_t)B * 4);
	count<<<32, 256, B * sizeof(int)>>>(x, h, N, B);
}
