// NaN in one element.
#include "task.cuh"

__global__ void one(float *y, int n)
{
	y[n / 2] = nanf("");
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	one<<<1, 1>>>(y, N);
}
