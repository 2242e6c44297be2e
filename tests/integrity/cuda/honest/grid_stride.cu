// Few blocks that stride.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	work<<<13, 96>>>(x, y, 0, N);
}
