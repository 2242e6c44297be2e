// Never ends.
#include "task.cuh"

__global__ void spin(float *y, int n)
{
	volatile float *p = y;
	while (p[n - 1] != 1e30f)
		p[0] = 1;
}

extern "C" void solve(const float *x, float *y, int N)
{
	(void)x;
	spin<<<1, 1>>>(y, N);
}
