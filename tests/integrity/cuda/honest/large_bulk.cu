// The same, four at a time, past the caches.
#include "../task.cuh"

__global__ void scale(float *__restrict__ y, long n, const float *__restrict__ x)
{
	long i = 4 * (blockIdx.x * (long)blockDim.x + threadIdx.x);
	if (i + 4 <= n) {
		float4 v = __ldcs((const float4 *)(x + i));
		__stcs((float4 *)(y + i), make_float4(2 * v.x + 1, 2 * v.y + 1, 2 * v.z + 1, 2 * v.w + 1));
	} else {
		for (; i < n; i++)
			y[i] = 2 * x[i] + 1;
	}
}

extern "C" void solve(float *y, long N, const float *x)
{
	scale<<<(N + 1023) / 1024, 256>>>(y, N, x);
}
