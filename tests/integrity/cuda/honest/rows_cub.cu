// CUB: a reduction of segments.
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "../task.cuh"

struct times {
	int n;
	__host__ __device__ int operator()(int i) const
	{
		return i * n;
	}
};

extern "C" void solve(const float *x, float *y, int M, int N)
{
	static void *temporary;
	static size_t have;
	size_t bytes = 0;
	auto begin = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), times{N});
	cub::DeviceSegmentedReduce::Sum(nullptr, bytes, x, y, M, begin, begin + 1);
	if (bytes > have) {
		cudaFree(temporary);
		cudaMalloc(&temporary, bytes);
		have = bytes;
	}
	cub::DeviceSegmentedReduce::Sum(temporary, bytes, x, y, M, begin, begin + 1);
}
