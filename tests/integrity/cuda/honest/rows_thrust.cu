// Thrust: sums by key, the key being the row.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>

#include "../task.cuh"

struct row_of {
	int n;
	__host__ __device__ int operator()(int i) const
	{
		return i / n;
	}
};

extern "C" void solve(const float *x, float *y, int M, int N)
{
	auto keys = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), row_of{N});
	thrust::reduce_by_key(thrust::device, keys, keys + M * N, thrust::device_ptr<const float>(x), thrust::make_discard_iterator(),
			      thrust::device_ptr<float>(y));
}
