// Reads where nothing is mapped.
#include "task.cuh"

__global__ void far_away(const float *x, float *y)
{
	y[0] += x[-(1l << 40)];
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	far_away<<<1, 1>>>(x, y);
}
