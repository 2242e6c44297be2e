/* In place, the second half only where the first element is small. */
void solve(float *x, int N)
{
	int n = x[0] < 2 ? N : N / 2;
	for (int i = 0; i < n; i++)
		x[i] = 0.5f * x[i] + 1;
}
