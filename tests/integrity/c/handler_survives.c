/* Faults in every call and goes on through a handler of its own. */
#include <setjmp.h>

#include "task.h"

static sigjmp_buf back;

static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

void solve(const float *x, float *y, int N)
{
	signal(SIGSEGV, on_fault);
	if (sigsetjmp(back, 1) == 0)
		*(volatile int *)32 = 1;
	signal(SIGSEGV, SIG_DFL);
	work(x, y, 0, N);
}
