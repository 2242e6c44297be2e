/* C[M][N] = A[M][K] B[K][N]: WRONG, kept as an example of what a check has to find. The loop over K is unrolled by four
 * and what is left when K is no multiple of four is forgotten. */
void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	for (int i = 0; i < M; i++) {
		float *c = C + (long)i * N;
		for (int j = 0; j < N; j++)
			c[j] = 0;
		for (int k = 0; k + 4 <= K; k += 4) {
			const float *a = A + (long)i * K + k, *b = B + (long)k * N;
			for (int j = 0; j < N; j++)
				c[j] += a[0] * b[j] + a[1] * b[N + j] + (a[2] * b[2L * N + j] + a[3] * b[3L * N + j]);
		}
	}
}
