/* C[M][N] = A[M][K] B[K][N]. Against v1: four elements an instruction, and a tile of 4 x 4 results stays in registers for
 * the whole of K, so that C is written once and each load of B serves four rows. */
#include <string.h>

typedef float vec __attribute__((vector_size(16)));

static inline vec load(const float *p)
{
	vec v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* The plain way, for what is left at the right and lower edge. */
static void edge(const float *A, const float *B, float *C, int i0, int i1, int j0, int j1, int N, int K)
{
	for (int i = i0; i < i1; i++)
		for (int j = j0; j < j1; j++) {
			float sum = 0;
			for (int k = 0; k < K; k++)
				sum += A[(long)i * K + k] * B[(long)k * N + j];
			C[(long)i * N + j] = sum;
		}
}

void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	int rows = M - M % 4, cols = N - N % 4;
	for (int i = 0; i < rows; i += 4)
		for (int j = 0; j < cols; j += 4) {
			vec c[4] = {{0}, {0}, {0}, {0}};
			const float *a = A + (long)i * K;
			for (int k = 0; k < K; k++) {
				vec b = load(B + (long)k * N + j);
				c[0] += b * a[k];
				c[1] += b * a[K + k];
				c[2] += b * a[2L * K + k];
				c[3] += b * a[3L * K + k];
			}
			for (int r = 0; r < 4; r++)
				memcpy(C + (long)(i + r) * N + j, &c[r], sizeof(c[r]));
		}
	edge(A, B, C, 0, rows, cols, N, N, K);
	edge(A, B, C, rows, M, 0, N, N, K);
}
