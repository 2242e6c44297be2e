// C[M][N] = A[M][K] B[K][N]: WRONG, kept as an example of what a check has to find. Only whole tiles along K are added: with
// a K that is a multiple of 16 nothing shows.
#include <cuda_runtime.h>

enum { TILE = 16 };

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
	__shared__ float a[TILE][TILE], b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int j = blockIdx.x * TILE + x, i = blockIdx.y * TILE + y;
	float sum = 0;
	for (int tile = 0; tile < K / TILE; tile++) {
		int k0 = tile * TILE;
		a[y][x] = i < M ? A[(size_t)i * K + k0 + x] : 0;
		b[y][x] = j < N ? B[(size_t)(k0 + y) * N + j] : 0;
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += a[y][k] * b[k][x];
		__syncthreads();
	}
	if (i < M && j < N)
		C[(size_t)i * N + j] = sum;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
	matmul<<<grid, block>>>(A, B, C, M, N, K);
}
