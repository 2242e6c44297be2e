// The same in the order of the stream.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	float *between;
	cudaMallocAsync(&between, (size_t)N * 4, 0);
	launch(x, between, N);
	cudaMemcpyAsync(y, between, (size_t)N * 4, cudaMemcpyDeviceToDevice);
	cudaFreeAsync(between, 0);
}
