// Thrust.
#include <thrust/device_ptr.h>
#include <thrust/transform.h>

#include "../task.cuh"

struct forty {
	__device__ float operator()(float v) const
	{
		return value(v);
	}
};

extern "C" void solve(const float *x, float *y, int N)
{
	thrust::device_ptr<const float> from(x);
	thrust::device_ptr<float> to(y);
	thrust::transform(from, from + N, to, forty());
}
