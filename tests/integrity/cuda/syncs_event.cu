// Waits for an event.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static cudaEvent_t done;
	if (!done)
		cudaEventCreateWithFlags(&done, cudaEventBlockingSync);
	launch(x, y, N);
	cudaEventRecord(done);
	cudaEventSynchronize(done);
}
