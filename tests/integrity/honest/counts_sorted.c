/* Sorts a copy and counts the runs. */
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void solve(const int *x, int *h, int N, int B)
{
	int *t = malloc((size_t)N * sizeof(int));
	memcpy(t, x, (size_t)N * sizeof(int));
	qsort(t, (size_t)N, sizeof(int), compare);
	memset(h, 0, (size_t)B * sizeof(int));
	for (int i = 0; i < N; i++)
		h[t[i]]++;
	free(t);
}
