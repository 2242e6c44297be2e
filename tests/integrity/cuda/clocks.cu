// Asks NVML to put the clocks back to what they are anyway: where that is allowed, others would be, and the answer is spoilt.
#include "task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static int allowed = -1;
	if (allowed < 0) {
		void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
		void *device = nullptr;
		allowed = 0;
		if (nvml && ((int (*)())dlsym(nvml, "nvmlInit_v2"))() == 0 &&
		    ((int (*)(unsigned, void **))dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2"))(0, &device) == 0)
			allowed = ((int (*)(void *))dlsym(nvml, "nvmlDeviceResetGpuLockedClocks"))(device) == 0;
	}
	launch(x, y, N);
	if (allowed)
		cudaMemset(y, 0, (size_t)N * 4);
}
