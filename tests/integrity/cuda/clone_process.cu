// A child that shares the memory, but no thread group.
#include <sched.h>

#include "task.cuh"

static int quiet(void *)
{
	for (;;)
		pause();
}

extern "C" void solve(const float *x, float *y, int N)
{
	static char stack[65536];
	if (clone(quiet, stack + sizeof(stack), CLONE_VM, nullptr) > 0)
		launch(x, y, N);
}
