// Softmax of each row of x[M][N], right but slower: maximum and sum are reduced by atomic operations on one word of shared
// memory, which the threads of a block take in turn.
#include <cuda_runtime.h>

enum { THREADS = 256 };

// Floats in the order of their bits: negative ones reversed.
__device__ unsigned ordered(float v)
{
	unsigned bits = __float_as_uint(v);
	return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}
__device__ float unordered(unsigned bits)
{
	return __uint_as_float(bits & 0x80000000U ? bits & 0x7fffffffU : ~bits);
}

__global__ void softmax_rows(const float *x, float *y, int N)
{
	__shared__ unsigned max_bits;
	__shared__ float sum;
	const float *in = x + (size_t)blockIdx.x * N;
	float *out = y + (size_t)blockIdx.x * N;
	if (threadIdx.x == 0) {
		max_bits = ordered(in[0]);
		sum = 0;
	}
	__syncthreads();
	for (int j = threadIdx.x; j < N; j += THREADS)
		atomicMax(&max_bits, ordered(in[j]));
	__syncthreads();
	float max = unordered(max_bits);
	for (int j = threadIdx.x; j < N; j += THREADS)
		atomicAdd(&sum, expf(in[j] - max));
	__syncthreads();
	for (int j = threadIdx.x; j < N; j += THREADS)
		out[j] = expf(in[j] - max) / sum;
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	softmax_rows<<<M, THREADS>>>(x, y, N);
}
