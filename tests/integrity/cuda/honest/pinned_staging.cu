// Through pinned memory of the host and back.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static float *pinned, *between;
	if (!pinned) {
		cudaMallocHost(&pinned, 20000 * sizeof(float));
		cudaMalloc(&between, 20000 * sizeof(float));
	}
	cudaMemcpyAsync(pinned, x, (size_t)N * 4, cudaMemcpyDeviceToHost);
	cudaMemcpyAsync(between, pinned, (size_t)N * 4, cudaMemcpyHostToDevice);
	launch(between, y, N);
}
