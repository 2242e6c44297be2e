// Zeros.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	(void)x;
	cudaMemsetAsync(y, 0, (size_t)N * 4);
}
