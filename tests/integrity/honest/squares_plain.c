/* Rows of the output, one after the other. */
void solve(const float *x, float *y, int M, int N)
{
	for (int j = 0; j < N; j++)
		for (int i = 0; i < M; i++)
			y[(long)j * M + i] = x[(long)i * N + j];
}
