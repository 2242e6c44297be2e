// Softmax of each row of x[M][N]. Against v0: one block a row, neighbouring threads read neighbouring elements, maximum and
// sum are reduced in shared memory.
#include <cuda_runtime.h>

enum { THREADS = 256 };

__global__ void softmax_rows(const float *x, float *y, int N)
{
	__shared__ float part[THREADS];
	const float *in = x + (size_t)blockIdx.x * N;
	float *out = y + (size_t)blockIdx.x * N;
	int t = threadIdx.x;

	float max = in[0];
	for (int j = t; j < N; j += THREADS)
		max = fmaxf(max, in[j]);
	part[t] = max;
	__syncthreads();
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (t < half)
			part[t] = fmaxf(part[t], part[t + half]);
		__syncthreads();
	}
	max = part[0];
	__syncthreads();

	float sum = 0;
	for (int j = t; j < N; j += THREADS)
		sum += expf(in[j] - max);
	part[t] = sum;
	__syncthreads();
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	sum = part[0];
	for (int j = t; j < N; j += THREADS)
		out[j] = expf(in[j] - max) / sum;
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	softmax_rows<<<M, THREADS>>>(x, y, N);
}
