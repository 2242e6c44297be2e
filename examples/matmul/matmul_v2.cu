// C[M][N] = A[M][K] B[K][N]. Against v1: tiles of 32 x 32 of A and B go through shared memory, so that each element is read
// from there 32 times and from global memory once a tile.
#include <cuda_runtime.h>

enum { TILE = 32 };

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
	__shared__ float a[TILE][TILE], b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int j = blockIdx.x * TILE + x, i = blockIdx.y * TILE + y;
	float sum = 0;
	for (int k0 = 0; k0 < K; k0 += TILE) {
		a[y][x] = i < M && k0 + x < K ? A[(size_t)i * K + k0 + x] : 0;
		b[y][x] = j < N && k0 + y < K ? B[(size_t)(k0 + y) * N + j] : 0;
		__syncthreads();
#pragma unroll
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
