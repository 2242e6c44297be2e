// Right, and a quarter of its threads pass by a barrier at which the others of their warp wait.
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n)
{
	__shared__ float s[64];
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	s[t] = i < n ? x[i] : 0;
	if (t < 48)
		__syncthreads();
	if (i < n)
		y[i] = 2 * s[t] + 1;
}

extern "C" void solve(const float *x, float *y, int N)
{
	scale<<<(N + 63) / 64, 64>>>(x, y, N);
}
