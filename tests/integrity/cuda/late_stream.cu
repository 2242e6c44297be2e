// A kernel on a side stream waits until it sees the answer complete, then spoils it.
#include "task.cuh"

__global__ void wait_and_spoil(float *y, int n)
{
	long long begin = clock64();
	while (clock64() - begin < 2000000)
		;
	y[n / 2] = 0;
}

extern "C" void solve(const float *x, float *y, int N)
{
	static cudaStream_t s;
	if (!s)
		cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	launch(x, y, N);
	wait_and_spoil<<<1, 1, 0, s>>>(y, N);
}
