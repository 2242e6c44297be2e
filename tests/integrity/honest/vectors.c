/* Vectors of eight through unaligned loads, and a tail. */
#include "../c/task.h"

typedef float eight __attribute__((vector_size(32)));

void solve(const float *x, float *y, int N)
{
	int i = 0;
	for (; i + 8 <= N; i += 8) {
		eight v;
		memcpy(&v, x + i, sizeof(v));
		for (int k = 0; k < 40; k++)
			v = v * 0.96875f + 0.03125f / (1 + v * v);
		memcpy(y + i, &v, sizeof(v));
	}
	work(x, y, i, N);
}
