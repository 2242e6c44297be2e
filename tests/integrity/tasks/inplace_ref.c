/* The tensor is input and output. */
void solve(float *x, int N)
{
	for (int i = 0; i < N; i++)
		x[i] = (float)(0.5 * (double)x[i] + 1);
}
