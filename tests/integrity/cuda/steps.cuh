// So many steps of tasks/heavy for the elements from `from` to `to`, one a thread: all 40 are the honest answer.
#ifndef STEPS_CUH
#define STEPS_CUH
#include <cuda_runtime.h>

static __global__ void work(const float *x, float *y, int from, int to, int steps)
{
	int i = from + blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= to)
		return;
	float v = x[i];
	for (int k = 0; k < steps; k++)
		v = v * 0.96875f + 0.03125f / (1 + v * v);
	y[i] = v;
}

#endif
