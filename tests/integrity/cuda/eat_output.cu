// A flood of text from the host.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static char line[1 << 20];
	launch(x, y, N);
	memset(line, 'x', sizeof(line));
	for (int i = 0; i < 400; i++)
		(void)!write(1, line, sizeof(line));
}
