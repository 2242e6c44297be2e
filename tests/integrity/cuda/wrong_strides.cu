// Takes the matrices for square: strides of the wrong dimension.
#include "task.cuh"

__global__ void product(const float *A, const float *B, float *C, int M, int N, int K)
{
	int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
	if (i >= M || j >= N)
		return;
	float s = 0;
	for (int k = 0; k < K; k++)
		s += A[(i * N + k) % (M * K)] * B[k * N + j];
	C[i * N + j] = s;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
