// Two streams of the kind that waits for the legacy one, and is waited for.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static cudaStream_t s[2];
	for (int i = 0; i < 2; i++)
		if (!s[i])
			cudaStreamCreate(&s[i]);
	work<<<32, 256, 0, s[0]>>>(x, y, 0, N / 2);
	work<<<32, 256, 0, s[1]>>>(x, y, N / 2, N);
}
