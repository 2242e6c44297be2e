// About 2.5 us: time stamps come in steps of 32 ns, 1.3 % of it. PLANT thousandths of it are planted by a longer chain: a multiply-add
// that waits for the one before takes 4 cycles, 2 ns at 1.98 GHz. How much of that a step hides is what this one is there to show.
#include <cuda_runtime.h>
#ifndef PLANT
#define PLANT 0
#endif

__global__ void chain(const float *x, float *y, int N)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = i < N ? x[i] : 1;
	float w = v;
#pragma unroll 20
	for (int k = 0; k < 500; k++)
		w = w * 0.5f + 0.5f; // ends at 1, whatever it began with
#pragma unroll
	for (int k = 0; k < PLANT * 3 / 2; k++)
		w = w * 0.5f + 0.5f;
	if (i < N)
		y[i] = v * w;
}

extern "C" void solve(const float *x, float *y, int N)
{
	chain<<<(N + 255) / 256, 256>>>(x, y, N);
}
