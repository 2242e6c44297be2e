// Looks at every result, asks the occupancy, times itself, and returns an error code.
#include "../task.cuh"

extern "C" int solve(const float *x, float *y, int N)
{
	int blocks = 0;
	cudaEvent_t e[2];
	float ms = 0;
	for (auto &one : e)
		if (cudaEventCreate(&one) != cudaSuccess)
			return 1;
	if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, 256, 0) != cudaSuccess || blocks < 1)
		return 2;
	cudaEventRecord(e[0]);
	work<<<blocks * 8, 256>>>(x, y, 0, N);
	cudaEventRecord(e[1]);
	if (cudaGetLastError() != cudaSuccess || cudaEventSynchronize(e[1]) != cudaSuccess ||
	    cudaEventElapsedTime(&ms, e[0], e[1]) != cudaSuccess)
		return 3;
	for (auto &one : e)
		cudaEventDestroy(one);
	return 0;
}
