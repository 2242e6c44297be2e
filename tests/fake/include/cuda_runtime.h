// A stand-in for the CUDA runtime, for tests: kernels are host functions that run once a thread of the grid, on the fake
// driver's streams. What needs threads of a block to meet is not here, so that such a kernel does not compile.
#ifndef FAKE_CUDA_RUNTIME_H
#define FAKE_CUDA_RUNTIME_H

#include "fake_graph.h"
#include "fake_memory.h"

#endif
