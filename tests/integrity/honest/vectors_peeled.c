/* Aligned vectors after a head that reaches the alignment. */
#include "../c/task.h"

typedef float four __attribute__((vector_size(16)));

void solve(const float *x, float *y, int N)
{
	int i = 0;
	for (; i < N && ((uintptr_t)(x + i) & 15); i++)
		work(x, y, i, i + 1);
	for (; i + 4 <= N; i += 4) {
		four v = *(const four *)(x + i);
		for (int k = 0; k < 40; k++)
			v = v * 0.96875f + 0.03125f / (1 + v * v);
		memcpy(y + i, &v, sizeof(v));
	}
	work(x, y, i, N);
}
