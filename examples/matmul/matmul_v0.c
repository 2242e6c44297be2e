/* C[M][N] = A[M][K] B[K][N], the plain way: one dot product an element, B read down its columns. */
void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;
			for (int k = 0; k < K; k++)
				sum += A[(long)i * K + k] * B[(long)k * N + j];
			C[(long)i * N + j] = sum;
		}
}
