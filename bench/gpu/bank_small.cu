// About 15 us: one chain that waits for itself, loop and all. PLANT thousandths of it are planted by a longer chain.
#include <cuda_runtime.h>
#ifndef PLANT
#define PLANT 0
#endif

__global__ void chain(const float *x, float *y, int N)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = i < N ? x[i] : 1;
	float w = v;
#pragma unroll 1
	for (int k = 0; k < 1000 + PLANT * 5 / 4; k++)
		w = w * 0.5f + 0.5f; // ends at 1, whatever it began with
	if (i < N)
		y[i] = v * w;
}

extern "C" void solve(const float *x, float *y, int N)
{
	chain<<<(N + 255) / 256, 256>>>(x, y, N);
}
