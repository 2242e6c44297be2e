// The host reads a number that the device computed, and launches accordingly.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	float first = 0;
	cudaMemcpy(&first, x, 4, cudaMemcpyDeviceToHost);
	work<<<first > 0 ? 40 : 60, 128>>>(x, y, 0, N);
}
