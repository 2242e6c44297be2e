/* Loads sixteen bytes at once and faults where they are not aligned. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	typedef float four __attribute__((vector_size(16)));
	for (int i = 0; i + 4 <= N; i += 4) {
		volatile four v = *(const four *)(x + i);
		(void)v;
	}
	work(x, y, 0, N);
}
