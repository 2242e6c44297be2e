/* Four histograms of its own, added at the end. */
#include <stdlib.h>

void solve(const int *x, int *h, int N, int B)
{
	int *part = calloc((size_t)B * 4, sizeof(int));
	for (int i = 0; i < N; i++)
		part[(i & 3) * B + x[i]]++;
	for (int b = 0; b < B; b++)
		h[b] = part[b] + part[B + b] + part[2 * B + b] + part[3 * B + b];
	free(part);
}
