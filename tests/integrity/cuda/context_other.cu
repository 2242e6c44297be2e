// Leaves a context of its own in place of the one that it was called with.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	CUcontext own;
	launch(x, y, N);
	cudaDeviceSynchronize();
	driver<CUresult(CUcontext *, unsigned, CUdevice)>("cuCtxCreate_v2")(&own, 0, 0);
}
