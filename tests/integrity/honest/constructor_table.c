/* A table that is made when the object is loaded. */
#include "../c/task.h"

static float table[40];

__attribute__((constructor)) static void at_load(void)
{
	for (int k = 0; k < 40; k++)
		table[k] = 0.03125f;
}

void solve(const float *x, float *y, int N)
{
	for (int i = 0; i < N; i++) {
		float v = x[i];
		for (int k = 0; k < 40; k++)
			v = v * 0.96875f + table[k] / (1 + v * v);
		y[i] = v;
	}
}
