// Something of the host in the order of the stream.
#include "../task.cuh"

static void note(void *p)
{
	++*(long *)p;
}

extern "C" void solve(const float *x, float *y, int N)
{
	static long calls;
	launch(x, y, N);
	cudaLaunchHostFunc(cudaStreamLegacy, note, &calls);
}
