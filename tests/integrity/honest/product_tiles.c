/* Tiles of 16. */
void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	for (int i = 0; i < M * N; i++)
		C[i] = 0;
	for (int i0 = 0; i0 < M; i0 += 16)
		for (int k0 = 0; k0 < K; k0 += 16)
			for (int j0 = 0; j0 < N; j0 += 16)
				for (int i = i0; i < M && i < i0 + 16; i++)
					for (int k = k0; k < K && k < k0 + 16; k++)
						for (int j = j0; j < N && j < j0 + 16; j++)
							C[i * N + j] += A[i * K + k] * B[k * N + j];
}
