// CUB's histogram.
#include <cub/device/device_histogram.cuh>

#include "../task.cuh"

extern "C" void solve(const int *x, int *h, int N, int B)
{
	static void *temporary;
	static size_t have;
	size_t bytes = 0;
	cub::DeviceHistogram::HistogramEven(nullptr, bytes, x, h, B + 1, 0, B, N);
	if (bytes > have) {
		cudaFree(temporary);
		cudaMalloc(&temporary, bytes);
		have = bytes;
	}
	cub::DeviceHistogram::HistogramEven(temporary, bytes, x, h, B + 1, 0, B, N);
}
