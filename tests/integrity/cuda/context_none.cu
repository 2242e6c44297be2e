// Takes the context away from the calling thread.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	cudaDeviceSynchronize();
	driver<CUresult(CUcontext)>("cuCtxSetCurrent")(nullptr);
}
