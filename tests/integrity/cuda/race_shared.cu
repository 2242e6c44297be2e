// Sums of rows through shared memory; the barrier before the last step is missing, and the warps come late.
#include "task.cuh"

__global__ void rows(const float *x, float *y, int n)
{
	__shared__ float part[8];
	volatile float *p = part;
	float s = 0;
	for (int c = threadIdx.x; c < n; c += blockDim.x)
		s += x[(long)blockIdx.x * n + c];
	for (int d = 16; d; d /= 2)
		s += __shfl_down_sync(0xffffffff, s, d);
	if (threadIdx.x >= 32)
		__nanosleep(1000 + 100 * (blockIdx.x % 7));
	if (threadIdx.x % 32 == 0)
		p[threadIdx.x / 32] = s;
	if (threadIdx.x == 0)
		y[blockIdx.x] = p[0] + p[1] + p[2] + p[3] + p[4] + p[5] + p[6] + p[7];
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	rows<<<M, 256>>>(x, y, N);
}
