// The scalar first, a size_t, an entry with another name, and an output that is read.
#include <cuda_bf16.h>

#include "../task.cuh"

__global__ void add(float a, size_t n, const __nv_bfloat16 *x, __nv_bfloat16 *y)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + __bfloat162float(y[i]));
}

extern "C" void solution(float a, size_t n, const __nv_bfloat16 *x, __nv_bfloat16 *y)
{
	add<<<(n + 255) / 256, 256>>>(a, n, x, y);
}
