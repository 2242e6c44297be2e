// Asks for more threads than a block can have, and does not look whether it was started.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	work<<<(N + 2047) / 2048, 2048>>>(x, y, 0, N);
}
