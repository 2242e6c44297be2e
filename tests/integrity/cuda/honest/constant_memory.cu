// Coefficients in constant memory, copied there in each call.
#include "../task.cuh"

static __constant__ float coefficient[2];

__global__ void with_constants(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float v = x[i];
	for (int k = 0; k < 40; k++)
		v = v * coefficient[0] + coefficient[1] / (1 + v * v);
	y[i] = v;
}

extern "C" void solve(const float *x, float *y, int N)
{
	static const float c[2] = {0.96875f, 0.03125f};
	cudaMemcpyToSymbolAsync(coefficient, c, sizeof(c), 0, cudaMemcpyHostToDevice);
	with_constants<<<(N + 255) / 256, 256>>>(x, y, N);
}
