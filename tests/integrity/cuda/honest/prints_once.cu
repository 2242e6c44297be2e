// Says something, once.
#include "../task.cuh"

__global__ void greet()
{
	printf("hello from the device\n");
}

extern "C" void solve(const float *x, float *y, int N)
{
	static bool said;
	if (!said)
		greet<<<1, 1>>>();
	said = true;
	launch(x, y, N);
}
