/* Jumps out of the call, into a frame that is gone. */
#include <setjmp.h>

#include "task.h"

static jmp_buf where;

__attribute__((constructor)) static void at_load(void)
{
	(void)!setjmp(where);
}

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	longjmp(where, 1);
}
