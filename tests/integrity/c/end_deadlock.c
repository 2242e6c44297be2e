/* Waits for a lock that it holds. */
#include "task.h"

void solve(const float *x, float *y, int N)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	work(x, y, 0, N);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
}
