// output[cols][rows] = input[rows][cols] transposed, the plain way: neighbouring threads read neighbouring elements and
// write elements a whole row apart.
#include <cuda_runtime.h>

__global__ void transpose(const float *input, float *output, int rows, int cols)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < rows && j < cols)
		output[(size_t)j * rows + i] = input[(size_t)i * cols + j];
}

extern "C" void solve(const float *input, float *output, int rows, int cols)
{
	dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8);
	transpose<<<grid, block>>>(input, output, rows, cols);
}
