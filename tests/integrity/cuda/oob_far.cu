// Writes where nothing is mapped.
#include "task.cuh"

__global__ void far_away(float *y)
{
	y[1l << 40] = 0;
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	far_away<<<1, 1>>>(y);
}
