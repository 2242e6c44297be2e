/* Rounds its factors to ten bits: inside a loose tolerance, outside of what float explains. */
#include <stdint.h>
#include <string.h>

static float rounded(float v)
{
	uint32_t u;
	memcpy(&u, &v, 4);
	u = (u + 0x1000) & 0xffffe000u;
	memcpy(&v, &u, 4);
	return v;
}

void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float s = 0;
			for (int k = 0; k < K; k++)
				s += rounded(A[i * K + k]) * rounded(B[k * N + j]);
			C[i * N + j] = s;
		}
}
