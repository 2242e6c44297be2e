/* C[M][N] = A[M][K] B[K][N]. Against v2: a panel of 8 columns of B is copied into a buffer in the order in which it is
 * read, and the tile is 4 x 8, so that each load of A serves two vectors and no load of B crosses a row. */
#include <stdlib.h>
#include <string.h>

typedef float vec __attribute__((vector_size(16)));

static inline vec load(const float *p)
{
	vec v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* panel[k][8] = B[k][j .. j + 8), zero beyond N. */
static void pack(float *panel, const float *B, int j, int N, int K)
{
	int n = N - j < 8 ? N - j : 8;
	for (int k = 0; k < K; k++) {
		for (int c = 0; c < n; c++)
			panel[8L * k + c] = B[(long)k * N + j + c];
		for (int c = n; c < 8; c++)
			panel[8L * k + c] = 0;
	}
}

static inline void put(float *c, vec lo, vec hi, int n)
{
	float row[8];
	memcpy(row, &lo, sizeof(lo));
	memcpy(row + 4, &hi, sizeof(hi));
	memcpy(c, row, sizeof(float) * (unsigned)n);
}

/* Four rows of A times the panel. */
static void tile4(const float *a, const float *panel, float *c, int n, int N, int K)
{
	vec c00 = {0}, c01 = {0}, c10 = {0}, c11 = {0}, c20 = {0}, c21 = {0}, c30 = {0}, c31 = {0};
	const float *a1 = a + K, *a2 = a1 + K, *a3 = a2 + K;
	for (int k = 0; k < K; k++) {
		vec b0 = load(panel + 8L * k), b1 = load(panel + 8L * k + 4);
		c00 += b0 * a[k];
		c01 += b1 * a[k];
		c10 += b0 * a1[k];
		c11 += b1 * a1[k];
		c20 += b0 * a2[k];
		c21 += b1 * a2[k];
		c30 += b0 * a3[k];
		c31 += b1 * a3[k];
	}
	put(c, c00, c01, n);
	put(c + N, c10, c11, n);
	put(c + 2L * N, c20, c21, n);
	put(c + 3L * N, c30, c31, n);
}

static void tile1(const float *a, const float *panel, float *c, int n, int K)
{
	vec c0 = {0}, c1 = {0};
	for (int k = 0; k < K; k++) {
		c0 += load(panel + 8L * k) * a[k];
		c1 += load(panel + 8L * k + 4) * a[k];
	}
	put(c, c0, c1, n);
}

void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	float *panel = malloc(sizeof(float) * 8 * (unsigned long)K);
	if (!panel)
		abort();
	for (int j = 0; j < N; j += 8) {
		int n = N - j < 8 ? N - j : 8;
		pack(panel, B, j, N, K);
		int i = 0;
		for (; i + 4 <= M; i += 4)
			tile4(A + (long)i * K, panel, C + (long)i * N + j, n, N, K);
		for (; i < M; i++)
			tile1(A + (long)i * K, panel, C + (long)i * N + j, n, K);
	}
	free(panel);
}
