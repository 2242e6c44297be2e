// Kernels as host functions: run once a thread of the grid on a stream of the fake driver.
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include "fake_driver.h"

[[noreturn]] static inline void __trap()
{
	fakeCall<void>("fakeTrap", static_cast<int>(cudaErrorLaunchFailure));
	abort();
}
static inline void __nanosleep(unsigned ns)
{
	usleep(ns / 1000 + 1);
}

template <class T> T fakeOnDevice(T v)
{
	if constexpr (std::is_pointer<T>::value)
		return (T)fakeCall<void *>("fakeHost", (const void *)v);
	else
		return v;
}

struct fakeWork { // a kernel with its arguments; launches and graphs share it
	void (*run)(fakeWork *);
	void (*destroy)(fakeWork *);
	int n_refs;
};
static inline void fakeRun(void *closure)
{
	fakeWork *w = static_cast<fakeWork *>(closure);
	w->run(w);
}
static inline void fakeDrop(void *closure)
{
	fakeWork *w = static_cast<fakeWork *>(closure);
	if (__atomic_sub_fetch(&w->n_refs, 1, __ATOMIC_ACQ_REL) == 0)
		w->destroy(w);
}

template <class... P> struct fakeKernel : fakeWork {
	void (*f)(P...);
	dim3 grid, block;
	std::tuple<P...> args;

	static void each(fakeWork *w)
	{
		fakeKernel *k = static_cast<fakeKernel *>(w);
		dim3 g = k->grid, b = k->block;
		std::tuple<P...> here =
			std::apply([](auto... v) { return std::tuple<P...>(fakeOnDevice(v)...); }, k->args);
		gridDim = g;
		blockDim = b;
		for (uint64_t i = 0; i < uint64_t(g.x) * g.y * g.z; i++) {
			blockIdx = dim3(unsigned(i % g.x), unsigned(i / g.x % g.y), unsigned(i / g.x / g.y));
			for (unsigned t = 0; t < b.x * b.y * b.z; t++) {
				threadIdx = dim3(t % b.x, t / b.x % b.y, t / b.x / b.y);
				std::apply(k->f, here);
			}
		}
	}
	static void end(fakeWork *w)
	{
		delete static_cast<fakeKernel *>(w);
	}
};

struct fakeNode { // one launch, ready to be made
	const char *name;
	dim3 grid, block;
	unsigned shared;
	fakeWork *work;
};
static inline int fakeLaunchNode(const fakeNode &n, cudaStream_t s)
{
	struct fake_launch l = {n.name,
				{n.grid.x, n.grid.y, n.grid.z},
				{n.block.x, n.block.y, n.block.z},
				n.shared,
				s,
				fakeRun,
				fakeDrop,
				n.work};
	__atomic_add_fetch(&n.work->n_refs, 1, __ATOMIC_ACQ_REL);
	return fakeCall<int>("fakeLaunch", static_cast<const struct fake_launch *>(&l));
}

// What a stream that is captured collects.
struct fakeGraph {
	fakeNode nodes[64];
	unsigned n;
};
typedef fakeGraph *cudaGraph_t, *cudaGraphExec_t;
enum cudaStreamCaptureMode {
	cudaStreamCaptureModeGlobal,
	cudaStreamCaptureModeThreadLocal,
	cudaStreamCaptureModeRelaxed
};
static fakeGraph *fakeCapture;
static cudaStream_t fakeCaptured;

// The name that a profiler shows: the mangled one.
static inline const char *fakeName(const char *plain, void *function)
{
	Dl_info info;
	return dladdr(function, &info) && info.dli_sname && info.dli_saddr == function ? info.dli_sname : plain;
}

struct fakeConfig { // name<<<grid, block, shared, stream>>>
	const char *name;
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	fakeConfig(const char *name_, dim3 grid_, dim3 block_, size_t shared_ = 0, cudaStream_t stream_ = nullptr)
	    : name(name_), grid(grid_), block(block_), shared(shared_), stream(stream_)
	{
	}
	template <class... P, class... A> void run(void (*f)(P...), A... args)
	{
		fakeKernel<P...> *k = new fakeKernel<P...>{
			{fakeKernel<P...>::each, fakeKernel<P...>::end, 1}, f, grid, block, std::tuple<P...>(args...)};
		fakeNode n = {fakeName(name, reinterpret_cast<void *>(f)), grid, block, unsigned(shared), k};
		if (fakeCapture && stream == fakeCaptured && fakeCapture->n < 64) {
			fakeCapture->nodes[fakeCapture->n++] = n; // the graph keeps its reference
			return;
		}
		fakeApi(FAKE_CALL_cudaLaunchKernel, [&] { return fakeLaunchNode(n, stream); });
		fakeDrop(k);
	}
};

#endif
