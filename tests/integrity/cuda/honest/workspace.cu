// A workspace that is made once and kept.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static float *between;
	static int size;
	if (size < N) {
		cudaFree(between);
		cudaMalloc(&between, (size_t)N * 4);
		size = N;
	}
	launch(x, between, N);
	cudaMemcpyAsync(y, between, (size_t)N * 4, cudaMemcpyDeviceToDevice);
}
