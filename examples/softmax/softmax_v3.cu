// Softmax of each row of x[M][N]. Against v2: a row of up to 4096 elements is read once, four elements a load, and stays in
// registers until it is written. Longer rows and rows that are no multiple of four take the loop of v2.
#include <cuda_runtime.h>

enum { THREADS = 256, WARPS = THREADS / 32, QUADS = 4 };

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

template <int N_QUADS> __global__ void softmax_registers(const float4 *x, float4 *y, int n_quads)
{
	__shared__ float part[2][WARPS];
	const float4 *in = x + (size_t)blockIdx.x * n_quads;
	float4 *out = y + (size_t)blockIdx.x * n_quads;
	float4 v[N_QUADS];

	float max = -INFINITY;
#pragma unroll
	for (int q = 0; q < N_QUADS; q++) {
		int j = threadIdx.x + q * THREADS;
		v[q] = j < n_quads ? in[j] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
		max = fmaxf(max, fmaxf(fmaxf(v[q].x, v[q].y), fmaxf(v[q].z, v[q].w)));
	}
	max = reduce<true>(max, part[0]);
	float sum = 0;
#pragma unroll
	for (int q = 0; q < N_QUADS; q++) {
		v[q] = make_float4(__expf(v[q].x - max), __expf(v[q].y - max), __expf(v[q].z - max), __expf(v[q].w - max));
		sum += v[q].x + v[q].y + (v[q].z + v[q].w);
	}
	float scale = 1 / reduce<false>(sum, part[1]);
#pragma unroll
	for (int q = 0; q < N_QUADS; q++) {
		int j = threadIdx.x + q * THREADS;
		if (j < n_quads)
			out[j] = make_float4(v[q].x * scale, v[q].y * scale, v[q].z * scale, v[q].w * scale);
	}
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
	const float4 *in = reinterpret_cast<const float4 *>(x);
	float4 *out = reinterpret_cast<float4 *>(y);
	int n_quads = N / 4;
	if (N % 4 || n_quads > QUADS * THREADS)
		softmax_rows<<<M, THREADS>>>(x, y, N);
	else if (n_quads <= THREADS)
		softmax_registers<1><<<M, THREADS>>>(in, out, n_quads);
	else if (n_quads <= 2 * THREADS)
		softmax_registers<2><<<M, THREADS>>>(in, out, n_quads);
	else
		softmax_registers<QUADS><<<M, THREADS>>>(in, out, n_quads);
}
