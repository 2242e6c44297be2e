// Tensor cores on three parts of each number: as good as float.
#include <mma.h>

#include "../task.cuh"

using namespace nvcuda;

__device__ void split(float v, float *high, float *low)
{
	*high = wmma::__float_to_tf32(v);
	*low = wmma::__float_to_tf32(v - *high);
}

__global__ void product(const float *A, const float *B, float *C, int M, int N, int K)
{
	__shared__ float a[2][16][8], b[2][8][16], c[16][16];
	wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa[2];
	wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb[2];
	wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
	int i0 = blockIdx.y * 16, j0 = blockIdx.x * 16;
	wmma::fill_fragment(fc, 0.0f);
	for (int k0 = 0; k0 < K; k0 += 8) {
		for (int t = threadIdx.x; t < 128; t += 32) {
			int i = i0 + t / 8, k = k0 + t % 8, kk = k0 + t / 16, j = j0 + t % 16;
			split(i < M && k < K ? A[i * K + k] : 0, &a[0][t / 8][t % 8], &a[1][t / 8][t % 8]);
			split(kk < K && j < N ? B[kk * N + j] : 0, &b[0][t / 16][t % 16], &b[1][t / 16][t % 16]);
		}
		__syncwarp();
		for (int p = 0; p < 2; p++) {
			wmma::load_matrix_sync(fa[p], &a[p][0][0], 8);
			wmma::load_matrix_sync(fb[p], &b[p][0][0], 16);
		}
		wmma::mma_sync(fc, fa[1], fb[0], fc);
		wmma::mma_sync(fc, fa[0], fb[1], fc);
		wmma::mma_sync(fc, fa[0], fb[0], fc);
		__syncwarp();
	}
	wmma::store_matrix_sync(&c[0][0], fc, 16, wmma::mem_row_major);
	__syncwarp();
	for (int t = threadIdx.x; t < 256; t += 32)
		if (i0 + t / 16 < M && j0 + t % 16 < N)
			C[(i0 + t / 16) * N + j0 + t % 16] = c[t / 16][t % 16];
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	product<<<dim3((N + 15) / 16, (M + 15) / 16), 32>>>(A, B, C, M, N, K);
}
