// A table in managed memory, filled by the host.
#include "../task.cuh"

__global__ void with_table(const float *x, float *y, const float *table, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float v = x[i];
	for (int k = 0; k < 40; k++)
		v = v * table[0] + table[1] / (1 + v * v);
	y[i] = v;
}

extern "C" void solve(const float *x, float *y, int N)
{
	static float *table;
	if (!table) {
		cudaMallocManaged(&table, 8);
		table[0] = 0.96875f;
		table[1] = 0.03125f;
	}
	with_table<<<(N + 255) / 256, 256>>>(x, y, table, N);
}
