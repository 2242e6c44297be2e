// A graph for each pair of addresses that comes along.
#include "../task.cuh"

extern "C" void solve(const float *x, float *y, int N)
{
	static struct {
		const float *x;
		float *y;
		int n;
		cudaGraphExec_t exec;
	} known[64];
	static cudaStream_t s;
	static int n_known;
	if (!s)
		cudaStreamCreate(&s);
	for (int i = 0; i < n_known; i++)
		if (known[i].x == x && known[i].y == y && known[i].n == N) {
			cudaGraphLaunch(known[i].exec, s);
			return;
		}
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
	work<<<32, 256, 0, s>>>(x, y, 0, N / 2);
	work<<<32, 256, 0, s>>>(x, y, N / 2, N);
	cudaStreamEndCapture(s, &graph);
	cudaGraphInstantiate(&exec, graph, 0);
	cudaGraphDestroy(graph);
	cudaGraphLaunch(exec, s);
	if (n_known < 64)
		known[n_known++] = {x, y, N, exec};
}
