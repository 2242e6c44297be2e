/* C[M][N] = A[M][K] B[K][N]. Against v0: loops in the order i, k, j, so that B and C are read along their rows. */
void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	for (int i = 0; i < M; i++) {
		float *c = C + (long)i * N;
		for (int j = 0; j < N; j++)
			c[j] = 0;
		for (int k = 0; k < K; k++) {
			const float *b = B + (long)k * N;
			float a = A[(long)i * K + k];
			for (int j = 0; j < N; j++)
				c[j] += a * b[j];
		}
	}
}
