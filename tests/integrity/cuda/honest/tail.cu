// Whole tiles of 128 by one launch, the tail by another.
#include <cuda_runtime.h>

static __global__ void work(const float *x, float *y, int from, int to, int steps)
{
	int i = from + blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= to)
		return;
	float v = x[i];
	for (int k = 0; k < steps; k++)
		v = v * 0.96875f + 0.03125f / (1 + v * v);
	y[i] = v;
}

extern "C" void solve(const float *x, float *y, int N)
{
	int whole = N / 128 * 128;
	if (whole)
		work<<<whole / 128, 128>>>(x, y, 0, whole, 40);
	if (whole < N)
		work<<<1, 128>>>(x, y, whole, N, 40);
}
