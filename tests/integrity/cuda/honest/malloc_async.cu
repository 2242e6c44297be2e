// Memory of the stream's pool.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	float *between;
	cudaMallocAsync(&between, (size_t)N * 4, cudaStreamLegacy);
	launch(x, between, N);
	cudaMemcpyAsync(y, between, (size_t)N * 4, cudaMemcpyDeviceToDevice);
	cudaFreeAsync(between, cudaStreamLegacy);
}
