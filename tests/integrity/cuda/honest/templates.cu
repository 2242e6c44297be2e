// Templates, a functor and a lambda.
#include "../task.cuh"

template <int N> struct repeat {
	__device__ static float of(float v)
	{
		return repeat<N - 1>::of(v * 0.96875f + 0.03125f / (1 + v * v));
	}
};
template <> struct repeat<0> {
	__device__ static float of(float v)
	{
		return v;
	}
};

template <class F> __global__ void apply(const float *x, float *y, int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = f(x[i]);
}

struct forty {
	__device__ float operator()(float v) const
	{
		return repeat<40>::of(v);
	}
};

extern "C" void solve(const float *x, float *y, int N)
{
	apply<<<(N + 255) / 256, 256>>>(x, y, N, forty{});
}
