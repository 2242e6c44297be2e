/* How often each value stands in x. */
void solve(const int *x, int *h, int N, int B)
{
	for (int b = 0; b < B; b++)
		h[b] = 0;
	for (int i = 0; i < N; i++)
		h[x[i]]++;
}
