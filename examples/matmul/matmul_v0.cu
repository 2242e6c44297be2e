// C[M][N] = A[M][K] B[K][N], the plain way: one thread an element, and neighbouring threads take neighbouring rows, so that
// their loads of A and stores of C are a whole row apart.
#include <cuda_runtime.h>

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= M || j >= N)
		return;
	float sum = 0;
	for (int k = 0; k < K; k++)
		sum += A[(size_t)i * K + k] * B[(size_t)k * N + j];
	C[(size_t)i * N + j] = sum;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	dim3 block(16, 16), grid((M + 15) / 16, (N + 15) / 16);
	matmul<<<grid, block>>>(A, B, C, M, N, K);
}
