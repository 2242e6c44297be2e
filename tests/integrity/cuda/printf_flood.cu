// Every thread prints, in every call.
#include "task.cuh"

__global__ void talk(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		y[i] = value(x[i]);
		printf("element %d of %d is now %f, which took a while to find out; more news after the next one\n", i, n, y[i]);
	}
}

extern "C" void solve(const float *x, float *y, int N)
{
	talk<<<(N + 255) / 256, 256>>>(x, y, N);
}
