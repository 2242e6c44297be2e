// output[cols][rows] = input[rows][cols] transposed. Against v2: rows of the tile are one element longer, so that a column
// of it touches all 32 banks, and a thread moves four elements, so that four loads are in flight.
#include <cuda_runtime.h>

enum { TILE = 32, STEP = 8 };

__global__ void transpose(const float *input, float *output, int rows, int cols)
{
	__shared__ float tile[TILE][TILE + 1];
	int i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
#pragma unroll
	for (int k = 0; k < TILE; k += STEP)
		if (i + k < rows && j < cols)
			tile[threadIdx.y + k][threadIdx.x] = input[(size_t)(i + k) * cols + j];
	__syncthreads();
	i = blockIdx.y * TILE + threadIdx.x;
	j = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
	for (int k = 0; k < TILE; k += STEP)
		if (i < rows && j + k < cols)
			output[(size_t)(j + k) * rows + i] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void solve(const float *input, float *output, int rows, int cols)
{
	dim3 block(TILE, STEP), grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
	transpose<<<grid, block>>>(input, output, rows, cols);
}
