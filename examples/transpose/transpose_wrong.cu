// output[cols][rows] = input[rows][cols] transposed: WRONG, kept as an example of what a check has to find. Only whole tiles
// of 32 x 32 are moved: with rows and cols that are multiples of 32 nothing shows.
#include <cuda_runtime.h>

enum { TILE = 32, STEP = 8 };

__global__ void transpose(const float *input, float *output, int rows, int cols)
{
	__shared__ float tile[TILE][TILE + 1];
	int i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
	for (int k = 0; k < TILE; k += STEP)
		tile[threadIdx.y + k][threadIdx.x] = input[(size_t)(i + k) * cols + j];
	__syncthreads();
	i = blockIdx.y * TILE + threadIdx.x;
	j = blockIdx.x * TILE + threadIdx.y;
	for (int k = 0; k < TILE; k += STEP)
		output[(size_t)(j + k) * rows + i] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void solve(const float *input, float *output, int rows, int cols)
{
	dim3 block(TILE, STEP), grid(cols / TILE, rows / TILE);
	if (grid.x && grid.y)
		transpose<<<grid, block>>>(input, output, rows, cols);
}
