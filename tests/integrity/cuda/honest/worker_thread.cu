// Another thread launches; the call waits for it, and for the device.
#include "../task.cuh"

struct job {
	const float *x;
	float *y;
	int n;
};

static void *run(void *p)
{
	job *j = (job *)p;
	launch(j->x, j->y, j->n);
	cudaStreamSynchronize(0);
	return nullptr;
}

extern "C" void solve(const float *x, float *y, int N)
{
	pthread_t t;
	job j = {x, y, N};
	pthread_create(&t, nullptr, run, &j);
	pthread_join(t, nullptr);
}
