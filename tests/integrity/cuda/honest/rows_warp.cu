// A warp a row, summed by shuffles: another order than the reference's.
#include "../task.cuh"

__global__ void rows(const float *x, float *y, int m, int n)
{
	int r = blockIdx.x * 4 + threadIdx.y;
	float s = 0;
	if (r >= m)
		return;
	for (int c = threadIdx.x; c < n; c += 32)
		s += x[(long)r * n + c];
	for (int d = 16; d; d /= 2)
		s += __shfl_xor_sync(0xffffffff, s, d);
	if (threadIdx.x == 0)
		y[r] = s;
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	rows<<<(M + 3) / 4, dim3(32, 4)>>>(x, y, M, N);
}
