/* The elements in an order of chance. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	unsigned long seed = 88172645463325252ul;
	int *order = malloc((size_t)N * sizeof(int));
	for (int i = 0; i < N; i++)
		order[i] = i;
	for (int i = N - 1; i > 0; i--) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		int k = (int)(seed % (unsigned)(i + 1)), t = order[i];
		order[i] = order[k];
		order[k] = t;
	}
	for (int i = 0; i < N; i++)
		work(x + order[i], y + order[i], 0, 1);
	free(order);
}
