// Forty launches, a step each, in a workspace of its own.
#include "../task.cuh"

__global__ void step(const float *from, float *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] = from[i] * 0.96875f + 0.03125f / (1 + from[i] * from[i]);
}

extern "C" void solve(const float *x, float *y, int N)
{
	static float *between;
	if (!between)
		cudaMalloc(&between, 20000 * sizeof(float));
	for (int k = 0; k < 40; k++)
		step<<<(N + 255) / 256, 256>>>(k ? between : x, k < 39 ? between : y, N);
}
