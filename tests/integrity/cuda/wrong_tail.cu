// The grid is rounded down: the last, incomplete block is missing.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	work<<<N / 256, 256>>>(x, y, 0, N / 256 * 256);
}
