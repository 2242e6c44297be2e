// Memory for each call, and back.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	float *between;
	cudaMalloc(&between, (size_t)N * 4);
	launch(x, between, N);
	cudaMemcpyAsync(y, between, (size_t)N * 4, cudaMemcpyDeviceToDevice);
	cudaFree(between);
}
