// Types of the runtime, and its way to the fake driver.
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <tuple>
#include <unistd.h>

#include "fake_cuda.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
	{
	}
};
static thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

enum cudaError {
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInsufficientDriver = 35,
	cudaErrorIllegalAddress = 700,
	cudaErrorLaunchFailure = 719
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
	cudaMemcpyDefault
};
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
typedef struct fakeStream *cudaStream_t;

template <class... A> int fakeDriver(const char *symbol, A... args)
{
	static void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	void *p = lib ? dlsym(lib, symbol) : nullptr;
	return p ? reinterpret_cast<int (*)(A...)>(p)(args...) : static_cast<int>(cudaErrorInsufficientDriver);
}

template <class R, class... A> R fakeCall(const char *symbol, A... args)
{
	static void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	void *p = lib ? dlsym(lib, symbol) : nullptr;
	if (!p)
		abort();
	return reinterpret_cast<R (*)(A...)>(p)(args...);
}

static thread_local cudaError_t fakeLastError;
static inline cudaError_t fakeNote(int code)
{
	if (code)
		fakeLastError = static_cast<cudaError_t>(code);
	return static_cast<cudaError_t>(code);
}

// The primary context of device 0, made or made again.
static inline int fakeReady()
{
	void *ctx = nullptr;
	unsigned flags = 0;
	int active = 0, rc = fakeDriver("cuInit", 0u);
	if (!rc)
		rc = fakeDriver("cuCtxGetCurrent", &ctx);
	if (!rc)
		rc = fakeDriver("cuDevicePrimaryCtxGetState", 0, &flags, &active);
	if (rc || (ctx && active))
		return rc;
	rc = fakeDriver("cuDevicePrimaryCtxRetain", &ctx, 0);
	return rc ? rc : fakeDriver("cuCtxSetCurrent", ctx);
}

// One runtime call with its record.
template <class F> cudaError_t fakeApi(unsigned id, F body)
{
	unsigned long long begin = fakeCall<unsigned long long>("fakeApiBegin");
	int rc = fakeReady();
	if (!rc)
		rc = body();
	fakeCall<void>("fakeApiEnd", id, begin, rc);
	return fakeNote(rc);
}

static inline cudaError_t cudaGetLastError()
{
	cudaError_t e = fakeLastError;
	fakeLastError = cudaSuccess;
	return e;
}
static inline cudaError_t cudaPeekAtLastError()
{
	return fakeLastError;
}
static inline const char *cudaGetErrorString(cudaError_t e)
{
	const char *text = nullptr;
	return fakeDriver("cuGetErrorString", static_cast<int>(e), &text) || !text ? "unknown error" : text;
}

#endif
