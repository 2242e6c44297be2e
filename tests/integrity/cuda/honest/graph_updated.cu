// One graph whose node gets the new addresses.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static cudaGraph_t graph;
	static cudaGraphExec_t exec;
	static cudaGraphNode_t node;
	int from = 0;
	void *args[] = {&x, &y, &from, &N};
	cudaKernelNodeParams p;
	memset(&p, 0, sizeof(p));
	p.func = (void *)work;
	p.gridDim = dim3(64);
	p.blockDim = dim3(256);
	p.kernelParams = args;
	if (!exec) {
		cudaGraphCreate(&graph, 0);
		cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);
		cudaGraphInstantiate(&exec, graph, 0);
	}
	cudaGraphExecKernelNodeSetParams(exec, node, &p);
	cudaGraphLaunch(exec, cudaStreamLegacy);
}
