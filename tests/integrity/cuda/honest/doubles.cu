// In double precision.
#include "../task.cuh"

__global__ void wide(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	double v = x[i];
	for (int k = 0; k < 40; k++)
		v = v * 0.96875 + 0.03125 / (1 + v * v);
	y[i] = (float)v;
}

extern "C" void solve(const float *x, float *y, int N)
{
	wide<<<(N + 127) / 128, 128>>>(x, y, N);
}
