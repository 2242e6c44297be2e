/* Transposed. */
void solve(const float *x, float *y, int M, int N)
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			y[(long)j * M + i] = x[(long)i * N + j];
}
