// Softmax of each row of x[M][N], the plain way: one thread a row, so neighbouring threads read addresses N floats apart.
#include <cuda_runtime.h>

__global__ void softmax_rows(const float *x, float *y, int M, int N)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= M)
		return;
	const float *in = x + (size_t)i * N;
	float *out = y + (size_t)i * N;
	float max = in[0];
	for (int j = 1; j < N; j++)
		max = fmaxf(max, in[j]);
	float sum = 0;
	for (int j = 0; j < N; j++)
		sum += expf(in[j] - max);
	for (int j = 0; j < N; j++)
		out[j] = expf(in[j] - max) / sum;
}

extern "C" void solve(const float *x, float *y, int M, int N)
{
	softmax_rows<<<(M + 127) / 128, 128>>>(x, y, M, N);
}
