/* Reads whole vectors of 16 beyond the end. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	float block[16];
	for (int i = 0; i < N; i += 16) {
		memcpy(block, x + i, sizeof(block));
		__asm__ volatile("" : : "r"(block) : "memory");
		float out[16];
		work(block, out, 0, 16);
		memcpy(y + i, out, (size_t)(N - i < 16 ? N - i : 16) * 4);
	}
}
