/* Builds a table in its first call. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	static float table[4096];
	static int ready;
	if (!ready) {
		for (int i = 0; i < 4096; i++)
			table[i] = 0.03125f;
		ready = 1;
	}
	for (int i = 0; i < N; i++) {
		float v = x[i];
		for (int k = 0; k < 40; k++)
			v = v * 0.96875f + table[k] / (1 + v * v);
		y[i] = v;
	}
}
