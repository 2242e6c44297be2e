/* The other spelling of the same parameters. */
#include "../c/task.h"

void solve(float const *const x, float *__restrict__ const y, int const N)
{
	work(x, y, 0, N);
}
