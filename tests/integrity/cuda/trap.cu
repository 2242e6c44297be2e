// An illegal instruction.
#include "task.cuh"

__global__ void stop()
{
	asm volatile("trap;");
}

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	stop<<<1, 1>>>();
}
