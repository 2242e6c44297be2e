// Softmax of each row of x[M][N]. Against v1: reductions by warp shuffles with two barriers instead of eight, and each
// exponential is computed once and kept in y.
#include <cuda_runtime.h>

enum { THREADS = 256, WARPS = THREADS / 32 };

// Every thread gets the result. `part` is free for use again at the next barrier.
template <bool IS_MAX> __device__ float reduce(float v, float *part)
{
	for (int step = 16; step > 0; step /= 2) {
		float other = __shfl_xor_sync(0xffffffff, v, step);
		v = IS_MAX ? fmaxf(v, other) : v + other;
	}
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = v;
	__syncthreads();
	v = part[0];
	for (int w = 1; w < WARPS; w++)
		v = IS_MAX ? fmaxf(v, part[w]) : v + part[w];
	return v;
}

__global__ void softmax_rows(const float *x, float *y, int N)
{
	__shared__ float part[2][WARPS];
	const float *in = x + (size_t)blockIdx.x * N;
	float *out = y + (size_t)blockIdx.x * N;

	float max = in[0];
	for (int j = threadIdx.x; j < N; j += THREADS)
		max = fmaxf(max, in[j]);
	max = reduce<true>(max, part[0]);
	float sum = 0;
	for (int j = threadIdx.x; j < N; j += THREADS) {
		float e = __expf(in[j] - max);
		out[j] = e;
		sum += e;
	}
	float scale = 1 / reduce<false>(sum, part[1]);
	for (int j = threadIdx.x; j < N; j += THREADS)
		out[j] *= scale;
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	softmax_rows<<<M, THREADS>>>(x, y, N);
}
