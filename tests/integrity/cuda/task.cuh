// The honest answer to tasks/heavy on a GPU, for kernels that do something beside it.
#ifndef TASK_CUH
#define TASK_CUH
#include <cuda.h>
#include <cuda_runtime.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __device__ __forceinline__ float value(float v)
{
	for (int k = 0; k < 40; k++)
		v = v * 0.96875f + 0.03125f / (1 + v * v);
	return v;
}

static __global__ void work(const float *x, float *y, int from, int to)
{
	for (int i = from + blockIdx.x * blockDim.x + threadIdx.x; i < to; i += gridDim.x * blockDim.x)
		y[i] = value(x[i]);
}

static inline void launch(const float *x, float *y, int n, cudaStream_t s = 0)
{
	work<<<(n + 255) / 256, 256, 0, s>>>(x, y, 0, n);
}

// One warp does all of it: about two milliseconds.
static inline void launch_slow(const float *x, float *y, int n, cudaStream_t s = 0)
{
	work<<<1, 32, 0, s>>>(x, y, 0, n);
}

// A function of a library that the process has loaded already.
template <class F> static inline F *loaded(const char *library, const char *name)
{
	void *at = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	return at ? (F *)dlsym(at, name) : nullptr;
}

template <class F> static inline F *driver(const char *name)
{
	return loaded<F>("libcuda.so.1", name);
}
#endif
