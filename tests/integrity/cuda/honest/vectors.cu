// Four elements at a time, the rest one by one.
#include "../task.cuh"

__global__ void fours(const float *x, float *y, int n)
{
	int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
	if (i + 4 <= n) {
		float4 v = *(const float4 *)(x + i);
		*(float4 *)(y + i) = make_float4(value(v.x), value(v.y), value(v.z), value(v.w));
	} else {
		for (; i < n; i++)
			y[i] = value(x[i]);
	}
}

extern "C" void solve(const float *x, float *y, int N)
{
	fours<<<(N + 1023) / 1024, 256>>>(x, y, N);
}
