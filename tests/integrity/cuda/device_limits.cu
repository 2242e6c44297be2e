// Limits and flags of the device.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	cudaDeviceSetLimit(cudaLimitStackSize, 8192);
	cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20);
	cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
	cudaDeviceSetCacheConfig(cudaFuncCachePreferShared);
	cudaSetDeviceFlags(cudaDeviceScheduleSpin);
	launch(x, y, N);
	(void)cudaGetLastError();
}
