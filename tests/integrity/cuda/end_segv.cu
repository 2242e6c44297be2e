// Writes to an address that is nobody's.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	cudaDeviceSynchronize();
	*(volatile int *)16 = 1;
}
