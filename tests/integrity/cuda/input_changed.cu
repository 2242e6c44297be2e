// Leaves a mark in its input.
#include "task.cuh"

__global__ void mark(float *x, int n)
{
	x[n - 1] = 0;
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	mark<<<1, 1>>>(const_cast<float *>(x), N);
}
