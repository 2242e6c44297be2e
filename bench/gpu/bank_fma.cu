// About 60 us of arithmetic on the whole GPU; PLANT thousandths more of it.
#include <cuda_runtime.h>
#ifndef PLANT
#define PLANT 0
#endif

__global__ void work(const float *x, float *y, int N)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = i < N ? x[i] : 1;
	float w = v;
#pragma unroll 4
	for (int k = 0; k < 4000 + PLANT * 4; k++)
		w = w * 0.5f + 0.5f;
	if (i < N)
		y[i] = v * w;
}

extern "C" void solve(const float *x, float *y, int N)
{
	work<<<(N + 255) / 256, 256>>>(x, y, N);
}
