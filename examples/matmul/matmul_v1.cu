// C[M][N] = A[M][K] B[K][N]. Against v0: neighbouring threads take neighbouring columns, so that loads of B and stores of C
// fall together into whole sectors.
#include <cuda_runtime.h>

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= M || j >= N)
		return;
	float sum = 0;
	for (int k = 0; k < K; k++)
		sum += A[(size_t)i * K + k] * B[(size_t)k * N + j];
	C[(size_t)i * N + j] = sum;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
	matmul<<<grid, block>>>(A, B, C, M, N, K);
}
