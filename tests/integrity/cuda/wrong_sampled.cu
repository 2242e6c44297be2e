// Every second column, twice.
#include "task.cuh"

__global__ void rows(const float *x, float *y, int m, int n)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	float s = 0;
	for (int c = 0; r < m && c < n; c += 2)
		s += 2 * x[(long)r * n + c];
	if (r < m)
		y[r] = s;
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	rows<<<(M + 127) / 128, 128>>>(x, y, M, N);
}
