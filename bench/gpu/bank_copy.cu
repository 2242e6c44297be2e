// About 10 us: 16 MB in, 16 MB out. Chunks of 16 KB, one a block; PLANT more chunks of the input are read beside the first
// ones, so that PLANT thousandths more bytes come from memory. All blocks are resident at once.
#include <cuda_runtime.h>
#ifndef PLANT
#define PLANT 0
#endif
#define CHUNK 4096 // floats

__global__ void copy(const float4 *x, float4 *y, int n_chunks)
{
	int chunk = blockIdx.x;
	float keep = 0;
	if (chunk >= n_chunks) { // an extra one: reads a chunk that nobody else reads, writes what its twin writes
		for (int i = threadIdx.x; i < CHUNK / 4; i += blockDim.x)
			keep += x[(size_t)chunk * (CHUNK / 4) + i].x;
		chunk -= n_chunks;
	}
	for (int i = threadIdx.x; i < CHUNK / 4; i += blockDim.x) {
		float4 v = x[(size_t)chunk * (CHUNK / 4) + i];
		v.x += keep > 3e38f ? 1 : 0;
		y[(size_t)chunk * (CHUNK / 4) + i] = v;
	}
}

// N: floats of y, a multiple of CHUNK; x holds 16 chunks more.
extern "C" void solve(const float *x, float *y, int N)
{
	copy<<<N / CHUNK + PLANT, 256>>>((const float4 *)x, (float4 *)y, N / CHUNK);
}
