/* Compensated. */
void solve(const float *x, float *y, int M, int N)
{
	for (int r = 0; r < M; r++) {
		volatile float s = 0, lost = 0;
		for (int c = 0; c < N; c++) {
			volatile float v = x[(long)r * N + c] - lost, t = s + v;
			lost = (t - s) - v;
			s = t;
		}
		y[r] = s;
	}
}
