// cp.async into shared memory, two stages.
#include <cuda_pipeline.h>

#include "../task.cuh"

__global__ void staged(const float *x, float *y, int n)
{
	__shared__ float s[2][128];
	int t = threadIdx.x, begin = blockIdx.x * 512;
	for (int k = 0; k <= 4; k++) {
		int i = begin + k * 128 + t;
		if (k < 4 && i < n)
			__pipeline_memcpy_async(&s[k % 2][t], x + i, 4);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		int before = i - 128;
		if (k > 0 && before < n)
			y[before] = value(s[(k - 1) % 2][t]);
	}
}

extern "C" void solve(const float *x, float *y, int N)
{
	staged<<<(N + 511) / 512, 128>>>(x, y, N);
}
