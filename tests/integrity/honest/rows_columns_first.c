/* Columns in the outer loop, into a cleared output. */
void solve(const float *x, float *y, int M, int N)
{
	for (int r = 0; r < M; r++)
		y[r] = 0;
	for (int c = 0; c < N; c++)
		for (int r = 0; r < M; r++)
			y[r] += x[(long)r * N + c];
}
