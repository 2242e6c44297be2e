/* Writes a small file in its working folder. */
#include "../c/task.h"

void solve(const float *x, float *y, int N)
{
	FILE *f = fopen("log.txt", "w");
	work(x, y, 0, N);
	if (f) {
		fprintf(f, "%d\n", N);
		fclose(f);
	}
}
