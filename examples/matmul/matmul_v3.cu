// C[M][N] = A[M][K] B[K][N]. Against v2: a block computes 64 x 64 results and a thread 4 x 4 of them in registers, so that
// eight loads from shared memory feed sixteen multiplications; A is kept transposed there so that both are read along rows.
#include <cuda_runtime.h>

enum { SIDE = 64, DEPTH = 16, PER_THREAD = 4, THREADS = SIDE / PER_THREAD };

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
	__shared__ __align__(16) float a[DEPTH][SIDE + 4];
	__shared__ __align__(16) float b[DEPTH][SIDE];
	int x = threadIdx.x, y = threadIdx.y, t = y * THREADS + x;
	int i0 = blockIdx.y * SIDE, j0 = blockIdx.x * SIDE;
	float c[PER_THREAD][PER_THREAD] = {};
	for (int k0 = 0; k0 < K; k0 += DEPTH) {
		for (int e = t; e < SIDE * DEPTH; e += THREADS * THREADS) {
			int row = e / DEPTH, k = e % DEPTH;
			a[k][row] = i0 + row < M && k0 + k < K ? A[(size_t)(i0 + row) * K + k0 + k] : 0;
		}
		for (int e = t; e < SIDE * DEPTH; e += THREADS * THREADS) {
			int k = e / SIDE, col = e % SIDE;
			b[k][col] = j0 + col < N && k0 + k < K ? B[(size_t)(k0 + k) * N + j0 + col] : 0;
		}
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			float4 av = *reinterpret_cast<const float4 *>(&a[k][y * PER_THREAD]);
			float4 bv = *reinterpret_cast<const float4 *>(&b[k][x * PER_THREAD]);
			float ar[4] = {av.x, av.y, av.z, av.w}, br[4] = {bv.x, bv.y, bv.z, bv.w};
#pragma unroll
			for (int r = 0; r < PER_THREAD; r++)
#pragma unroll
				for (int s = 0; s < PER_THREAD; s++)
					c[r][s] += ar[r] * br[s];
		}
		__syncthreads();
	}
	for (int r = 0; r < PER_THREAD; r++)
		for (int s = 0; s < PER_THREAD; s++) {
			int i = i0 + y * PER_THREAD + r, j = j0 + x * PER_THREAD + s;
			if (i < M && j < N)
				C[(size_t)i * N + j] = c[r][s];
		}
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	dim3 block(THREADS, THREADS), grid((N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE);
	matmul<<<grid, block>>>(A, B, C, M, N, K);
}
