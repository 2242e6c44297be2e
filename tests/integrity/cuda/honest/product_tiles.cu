// Tiles in shared memory.
#include "../task.cuh"

__global__ void product(const float *A, const float *B, float *C, int M, int N, int K)
{
	__shared__ float a[16][17], b[16][17];
	int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
	float s = 0;
	for (int k0 = 0; k0 < K; k0 += 16) {
		int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
		a[threadIdx.y][threadIdx.x] = i < M && ka < K ? A[i * K + ka] : 0;
		b[threadIdx.y][threadIdx.x] = kb < K && j < N ? B[kb * N + j] : 0;
		__syncthreads();
		for (int k = 0; k < 16; k++)
			s += a[threadIdx.y][k] * b[k][threadIdx.x];
		__syncthreads();
	}
	if (i < M && j < N)
		C[i * N + j] = s;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
