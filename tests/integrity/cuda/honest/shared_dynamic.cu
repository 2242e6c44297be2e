// A hundred kilobytes of dynamic shared memory, with the permission that it needs.
#include "../task.cuh"

__global__ void big(const float *x, float *y, int n)
{
	extern __shared__ float s[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		s[threadIdx.x * 25] = x[i];
		y[i] = value(s[threadIdx.x * 25]);
	}
}

extern "C" void solve(const float *x, float *y, int N)
{
	cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
	big<<<(N + 1023) / 1024, 1024, 100 << 10>>>(x, y, N);
}
