/* Reference: C[M][N] = A[M][K] B[K][N], accumulated in double. */
void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;
			for (int k = 0; k < K; k++)
				sum += (double)A[(long)i * K + k] * B[(long)k * N + j];
			C[(long)i * N + j] = (float)sum;
		}
}
