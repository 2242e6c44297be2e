/* Long arithmetic for each element. */
void solve(const float *x, float *y, int N)
{
	for (int i = 0; i < N; i++) {
		double v = x[i];
		for (int k = 0; k < 40; k++)
			v = v * 0.96875 + 0.03125 / (1 + v * v);
		y[i] = (float)v;
	}
}
