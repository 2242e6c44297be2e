// Graphs by capture of one stream: a list of launches.
#ifndef FAKE_GRAPH_H
#define FAKE_GRAPH_H

#include "fake_kernel.h"

static inline cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode)
{
	fakeCapture = new fakeGraph();
	fakeCaptured = s;
	return cudaSuccess;
}
static inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *graph)
{
	*graph = fakeCapture;
	fakeCapture = nullptr;
	return cudaSuccess;
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long = 0)
{
	*exec = new fakeGraph(*graph);
	return cudaSuccess;
}
static inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s)
{
	return fakeApi(FAKE_CALL_cudaGraphLaunch, [&] {
		int rc = 0;
		for (unsigned i = 0; !rc && i < exec->n; i++)
			rc = fakeLaunchNode(exec->nodes[i], s);
		return rc;
	});
}
static inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	delete exec;
	return cudaSuccess;
}
static inline cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	delete graph;
	return cudaSuccess;
}

#endif
