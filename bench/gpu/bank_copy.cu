// About 8 us: 16 MB in, 16 MB out, a block a chunk of 16 KB, all resident at once. PLANT thousandths are planted by a delay that
// every block has before its first load: a multiply-add that waits for the one before takes 4 cycles, 2 ns at 1.98 GHz.
#include <cuda_runtime.h>
#ifndef PLANT
#define PLANT 0
#endif
#define CHUNK 4096 // floats

__global__ void copy(const float4 *x, float4 *y)
{
	float w = threadIdx.x;
#pragma unroll
	for (int k = 0; k < PLANT * 4; k++)
		w = w * 0.5f + 0.5f; // at most 255
	size_t first = (size_t)blockIdx.x * (CHUNK / 4) + (w > 3e38f);
	for (int i = threadIdx.x; i < CHUNK / 4; i += blockDim.x)
		y[first + i] = x[first + i];
}

// N: floats, a multiple of CHUNK.
extern "C" void solve(const float *x, float *y, int N)
{
	copy<<<N / CHUNK, 256>>>((const float4 *)x, (float4 *)y);
}
