// One element before the beginning.
#include "task.cuh"

__global__ void before(float *y)
{
	y[-1] = 0;
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	before<<<1, 1>>>(y);
}
