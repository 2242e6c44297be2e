// Loads four elements at an address that is no multiple of sixteen.
#include "task.cuh"

__global__ void fours(const float *x, float *y)
{
	float4 v = *(const float4 *)(x + 1);
	y[0] = v.x;
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	fours<<<1, 1>>>(x, y);
}
