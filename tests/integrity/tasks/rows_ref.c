/* The sum of each row. */
void solve(const float *x, float *y, int M, int N)
{
	for (int r = 0; r < M; r++) {
		double s = 0;
		for (int c = 0; c < N; c++)
			s += x[(long)r * N + c];
		y[r] = (float)s;
	}
}
