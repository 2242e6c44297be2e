/* for (volatile int i = 0;; i++) {} */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	for (volatile int i = 0;; i++) {
	};
}
