// Launches through the driver.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static cudaFunction_t f;
	int from = 0;
	void *args[] = {&x, &y, &from, &N};
	if (!f)
		cudaGetFuncBySymbol(&f, (const void *)work);
	driver<CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **)>(
		"cuLaunchKernel")((CUfunction)f, 64, 1, 1, 256, 1, 1, 0, nullptr, args, nullptr);
}
