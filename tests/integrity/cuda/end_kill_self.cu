// Ends itself by a signal.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	cudaDeviceSynchronize();
	raise(SIGKILL);
}
