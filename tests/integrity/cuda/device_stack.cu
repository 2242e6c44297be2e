// Recursion without an end, on the device.
#include "task.cuh"

__device__ __noinline__ float deep(float v, int n)
{
	volatile float room[64];
	room[n % 64] = v;
	return n < 0 ? v : deep(room[n % 64] + 1, n + 1) + room[(n + 1) % 64];
}

__global__ void fall(float *y)
{
	y[0] = deep(y[0], 1);
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	fall<<<1, 1>>>(y);
}
