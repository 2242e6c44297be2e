/* Defines functions that the program has too; they must not take their place, nor ours theirs. */
#include "task.h"

static volatile int n_calls;

int ffi_call(void)
{
	return n_calls++;
}

int entry_call(void)
{
	return n_calls++;
}

int64_t clock_ns(void)
{
	return n_calls++;
}

unsigned long crc32(unsigned long a, const unsigned char *p, unsigned n)
{
	(void)p;
	return a + n + 1;
}

int compress(void)
{
	return 7;
}

int ZSTD_versionNumber(void)
{
	return 11;
}

void solve(const float *x, float *y, int N)
{
	work(x, y, 0, N);
	if (crc32(1, NULL, 2) != 4 || compress() != 7 || ZSTD_versionNumber() != 11)
		y[0] = 0; /* the program's were called */
}
