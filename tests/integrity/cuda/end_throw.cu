// An exception that nobody catches.
#include <stdexcept>

#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	launch(x, y, N);
	throw std::runtime_error("out of ideas");
}
