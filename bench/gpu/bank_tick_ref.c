/* What the kernel of the bank computes, however long it takes over it.
 * In: x. Out: y = x.
 * The planted work changes no value.
 * Never: timed. */
void solve(const float *x, float *y, int N)
{
	for (int i = 0; i < N; i++)
		y[i] = x[i];
}
