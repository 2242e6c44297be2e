/* Counts into an output that it takes to be zero. */
void solve(const int *x, int *h, int N, int B)
{
	(void)B;
	for (int i = 0; i < N; i++)
		h[x[i]]++;
}
