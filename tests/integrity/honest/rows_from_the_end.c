/* Backwards. */
void solve(const float *x, float *y, int M, int N)
{
	for (int r = M; r-- > 0;) {
		float s = 0;
		for (int c = N; c-- > 0;)
			s += x[(long)r * N + c];
		y[r] = s;
	}
}
