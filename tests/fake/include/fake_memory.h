// The runtime's memory, streams and device.
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include "fake_driver.h"

template <class T> cudaError_t cudaMalloc(T **p, size_t bytes)
{
	uint64_t at = 0;
	cudaError_t e =
		fakeApi(FAKE_CALL_cudaMalloc, [&] { return bytes ? fakeDriver("cuMemAlloc_v2", &at, bytes) : 0; });
	*p = reinterpret_cast<T *>(at);
	return e;
}
static inline cudaError_t cudaFree(void *p)
{
	return fakeApi(FAKE_CALL_cudaFree, [&] { return fakeDriver("cuMemFree_v2", reinterpret_cast<uint64_t>(p)); });
}

static inline int fakeCopy(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s, bool async)
{
	uint64_t t = reinterpret_cast<uint64_t>(to), f = reinterpret_cast<uint64_t>(from);
	void *stream = s;
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return async ? fakeDriver("cuMemcpyHtoDAsync_v2", t, from, n, stream)
			     : fakeDriver("cuMemcpyHtoD_v2", t, from, n);
	case cudaMemcpyDeviceToHost:
		return async ? fakeDriver("cuMemcpyDtoHAsync_v2", to, f, n, stream)
			     : fakeDriver("cuMemcpyDtoH_v2", to, f, n);
	case cudaMemcpyDeviceToDevice:
		return fakeDriver("cuMemcpyDtoDAsync_v2", t, f, n, stream);
	default:
		return cudaErrorInvalidValue;
	}
}
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind)
{
	return fakeApi(FAKE_CALL_cudaMemcpy, [&] { return fakeCopy(to, from, n, kind, nullptr, false); });
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind,
					  cudaStream_t s = nullptr)
{
	return fakeApi(FAKE_CALL_cudaMemcpyAsync, [&] { return fakeCopy(to, from, n, kind, s, true); });
}
static inline cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s = nullptr)
{
	return fakeApi(FAKE_CALL_cudaMemsetAsync, [&] {
		return fakeDriver("cuMemsetD8Async", reinterpret_cast<uint64_t>(p), static_cast<unsigned char>(v), n,
				  static_cast<void *>(s));
	});
}
static inline cudaError_t cudaMemset(void *p, int v, size_t n)
{
	return fakeApi(FAKE_CALL_cudaMemset, [&] {
		return fakeDriver("cuMemsetD8_v2", reinterpret_cast<uint64_t>(p), static_cast<unsigned char>(v), n);
	});
}

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
	return fakeApi(FAKE_CALL_cudaStreamCreate,
		       [&] { return fakeDriver("cuStreamCreate", reinterpret_cast<void **>(s), flags); });
}
static inline cudaError_t cudaStreamCreate(cudaStream_t *s)
{
	return cudaStreamCreateWithFlags(s, cudaStreamDefault);
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	return fakeApi(FAKE_CALL_cudaStreamDestroy,
		       [&] { return fakeDriver("cuStreamDestroy_v2", static_cast<void *>(s)); });
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
	return fakeApi(FAKE_CALL_cudaStreamSynchronize,
		       [&] { return fakeDriver("cuStreamSynchronize", static_cast<void *>(s)); });
}
static inline cudaError_t cudaDeviceSynchronize()
{
	return fakeApi(FAKE_CALL_cudaDeviceSynchronize, [] { return fakeDriver("cuCtxSynchronize"); });
}
static inline cudaError_t cudaDeviceReset()
{
	return fakeApi(FAKE_CALL_cudaDeviceReset, [] { return fakeDriver("cuDevicePrimaryCtxReset_v2", 0); });
}

#endif
