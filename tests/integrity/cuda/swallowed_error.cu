// Needs more shared memory than it asks for permission, and drops the error.
#include "task.cuh"

__global__ void big(const float *x, float *y, int n)
{
	extern __shared__ float s[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		s[threadIdx.x] = x[i];
		y[i] = value(s[threadIdx.x]);
	}
}

extern "C" void solve(const float *x, float *y, int N)
{
	big<<<(N + 255) / 256, 256, 100 << 10>>>(x, y, N);
	(void)cudaGetLastError();
}
