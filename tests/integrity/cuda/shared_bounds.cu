// Writes beyond its shared memory.
#include "task.cuh"

__global__ void beyond(float *y, int n)
{
	__shared__ float s[32];
	volatile float *p = s;
	p[n * 100000] = 1;
	y[0] = p[0];
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	beyond<<<1, 1>>>(y, 1 + N % 2);
}
