/* Every seventh element, seven times. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	for (int s = 0; s < 7; s++)
		for (int i = s; i < N; i += 7)
			work(x + i, y + i, 0, 1);
}
