/* Doubles x; 300 rounds of the same work, so that versions differ by far more than any noise. */
void solve(const float *x, float *y, int N)
{
	for (int k = 0; k < 300; k++)
		for (int i = 0; i < N; i++)
			((volatile float *)y)[i] = 2 * x[i];
}
