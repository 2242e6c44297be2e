/* Turns denormals off for good. */
#include <xmmintrin.h>

#include "task.h"

void solve(const float *x, float *y, int N)
{
	_mm_setcsr(_mm_getcsr() | 0x8040);
	work(x, y, 0, N);
}
