// A stream of its own that the call waits for.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static cudaStream_t s;
	if (!s)
		cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	launch(x, y, N, s);
	cudaStreamSynchronize(s);
}
