/* C[M][N] = A[M][K] B[K][N], right but slower: one element of B is kept for a whole column of C, and so A and C are both
 * read down their columns. */
void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	for (int j = 0; j < N; j++) {
		for (int i = 0; i < M; i++)
			C[(long)i * N + j] = 0;
		for (int k = 0; k < K; k++) {
			float b = B[(long)k * N + j];
			for (int i = 0; i < M; i++)
				C[(long)i * N + j] += A[(long)i * K + k] * b;
		}
	}
}
