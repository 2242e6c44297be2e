// Softmax of each row of x[M][N]: WRONG, kept as an example of what a check has to find. The row is taken in fours and what
// is left when N is no multiple of four is forgotten: a test with N = 1000 alone passes.
#include <cuda_runtime.h>

enum { THREADS = 256, WARPS = THREADS / 32 };

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
	int n_quads = N / 4;

	float max = in[0];
	for (int q = threadIdx.x; q < n_quads; q += THREADS)
		for (int k = 0; k < 4; k++)
			max = fmaxf(max, in[4 * q + k]);
	max = reduce<true>(max, part[0]);
	float sum = 0;
	for (int q = threadIdx.x; q < n_quads; q += THREADS)
		for (int k = 0; k < 4; k++)
			sum += out[4 * q + k] = __expf(in[4 * q + k] - max);
	float scale = 1 / reduce<false>(sum, part[1]);
	for (int q = threadIdx.x; q < n_quads; q += THREADS)
		for (int k = 0; k < 4; k++)
			out[4 * q + k] *= scale;
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	softmax_rows<<<M, THREADS>>>(x, y, N);
}
