/* setjmp and longjmp within the call. */
#include <setjmp.h>

#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	int n;
	jmp_buf at;
	work(x, y, 0, N);
	n = setjmp(at);
	if (n < 3)
		longjmp(at, n + 1);
}
