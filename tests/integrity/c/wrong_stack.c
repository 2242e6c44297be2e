/* Starts from memory that was never set. */
#include "task.h"

static float __attribute__((noinline)) left_over(void)
{
	volatile float room[64];
	return room[17];
}

static void __attribute__((noinline)) dirty(float v)
{
	volatile float room[64];
	for (int i = 0; i < 64; i++)
		room[i] = v;
}

void solve(const float *x, float *y, int N)
{
	static int n;
	work(x, y, 0, N);
	dirty(n++ < 3 ? 0 : 0.5f);
	y[0] += left_over();
}
