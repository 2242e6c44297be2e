/* What the fake libcuda.so.1 offers beside the driver's functions: to the fake runtime (cuda_runtime.h), whose kernels are
 * host functions. Plain C and C++. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel: `run(closure)` on the stream's thread when its turn comes, then `drop(closure)`, which is called in any
 * case. What a fault in `run` does is what it does on a GPU: the context keeps an error. */
struct fake_launch {
	const char *name; /* as a profiler shows it */
	unsigned grid[3], block[3], shared_bytes;
	void *stream;
	void (*run)(void *closure);
	void (*drop)(void *closure);
	void *closure;
};
int fakeLaunch(const struct fake_launch *l);
/* From now on this process's candidate kernels take so long; 0: as fake.conf says. */
void fakeDuration(long long ns);
/* Host address of a device address; anything else stays as it is. Only the device side may use it: the host sees
 * device memory as unmapped, as it is. */
void *fakeHost(const void *p);
/* Ends the kernel that runs on this thread with that error. */
void fakeTrap(int code);
/* Around a runtime call, for CUPTI. */
unsigned long long fakeApiBegin(void);
void fakeApiEnd(unsigned callback, unsigned long long begin, int result);

/* Runtime calls that leave a record: name, CUPTI's callback id, CUPTI's name. */
#define FAKE_RUNTIME_CALLS(X)                                                                                          \
	X(cudaMalloc, 20, "cudaMalloc_v3020")                                                                          \
	X(cudaFree, 22, "cudaFree_v3020")                                                                              \
	X(cudaMemcpy, 31, "cudaMemcpy_v3020")                                                                          \
	X(cudaMemcpyAsync, 41, "cudaMemcpyAsync_v3020")                                                                \
	X(cudaMemset, 47, "cudaMemset_v3020")                                                                          \
	X(cudaMemsetAsync, 51, "cudaMemsetAsync_v3020")                                                                \
	X(cudaStreamCreate, 129, "cudaStreamCreate_v3020")                                                             \
	X(cudaStreamDestroy, 130, "cudaStreamDestroy_v5050")                                                           \
	X(cudaStreamSynchronize, 131, "cudaStreamSynchronize_v3020")                                                   \
	X(cudaDeviceReset, 164, "cudaDeviceReset_v3020")                                                               \
	X(cudaDeviceSynchronize, 165, "cudaDeviceSynchronize_v3020")                                                   \
	X(cudaGraphLaunch, 311, "cudaGraphLaunch_v10000")                                                              \
	X(cudaLaunchKernel, 211, "cudaLaunchKernel_v7000")
enum fake_runtime_call {
#define FAKE_X(name, id, text) FAKE_CALL_##name = (id),
	FAKE_RUNTIME_CALLS(FAKE_X)
#undef FAKE_X
};

#ifdef __cplusplus
}
#endif
#endif
