// output[cols][rows] = input[rows][cols] transposed. Against v1: a tile of 32 x 32 goes through shared memory, so that both
// reads and writes fall into whole sectors. Its columns lie in one bank each.
#include <cuda_runtime.h>

enum { TILE = 32 };

__global__ void transpose(const float *input, float *output, int rows, int cols)
{
	__shared__ float tile[TILE][TILE];
	int i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
	if (i < rows && j < cols)
		tile[threadIdx.y][threadIdx.x] = input[(size_t)i * cols + j];
	__syncthreads();
	i = blockIdx.y * TILE + threadIdx.x;
	j = blockIdx.x * TILE + threadIdx.y;
	if (i < rows && j < cols)
		output[(size_t)j * rows + i] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void solve(const float *input, float *output, int rows, int cols)
{
	dim3 block(TILE, TILE), grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
	transpose<<<grid, block>>>(input, output, rows, cols);
}
