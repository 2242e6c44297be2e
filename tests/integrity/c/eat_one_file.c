/* One file without end. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	static char block[1 << 20];
	int fd = open("f", O_WRONLY | O_CREAT, 0600);
	work(x, y, 0, N);
	for (;;)
		(void)!write(fd, block, sizeof(block));
}
