/* Transposes B into a buffer first. */
#include <stdlib.h>

void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	float *t = malloc((size_t)N * (size_t)K * 4);
	for (int k = 0; k < K; k++)
		for (int j = 0; j < N; j++)
			t[j * K + k] = B[k * N + j];
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float s = 0;
			for (int k = 0; k < K; k++)
				s += A[i * K + k] * t[j * K + k];
			C[i * N + j] = s;
		}
	free(t);
}
