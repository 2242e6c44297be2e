// Through a pointer to a function of the device.
#include "../task.cuh"

typedef float (*map)(float);

__device__ float forty(float v)
{
	return value(v);
}

static __device__ map which = forty;

__global__ void apply(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = which(x[i]);
}

extern "C" void solve(const float *x, float *y, int N)
{
	apply<<<(N + 255) / 256, 256>>>(x, y, N);
}
