// The second kernel may start while the first one ends, and waits where it must.
#include "../task.cuh"

__global__ void first(const float *x, float *between, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		between[i] = value(x[i]);
	asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void second(const float *between, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	asm volatile("griddepcontrol.wait;" ::: "memory");
	if (i < n)
		y[i] = between[i];
}

extern "C" void solve(const float *x, float *y, int N)
{
	static float *between;
	if (!between)
		cudaMalloc(&between, 20000 * sizeof(float));
	cudaLaunchConfig_t c;
	cudaLaunchAttribute a;
	memset(&c, 0, sizeof(c));
	memset(&a, 0, sizeof(a));
	a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	a.val.programmaticStreamSerializationAllowed = 1;
	c.gridDim = dim3((N + 255) / 256);
	c.blockDim = dim3(256);
	first<<<c.gridDim, c.blockDim>>>(x, between, N);
	c.attrs = &a;
	c.numAttrs = 1;
	cudaLaunchKernelEx(&c, second, (const float *)between, y, N);
}
