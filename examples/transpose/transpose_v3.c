/* output[cols][rows] = input[rows][cols] transposed. Against v2: a tile is 4 x 4 in registers, loaded, shuffled and stored
 * as vectors, and tiles follow each other down the rows of the input, so that the 16 rows of the output that are being
 * written go on line after line. */
#include <string.h>

typedef float vec __attribute__((vector_size(16)));
typedef int veci __attribute__((vector_size(16)));
#if defined(__clang__)
#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (veci){i, j, k, l})
#endif
enum { TILE = 16 };

static inline int smaller(int a, int b)
{
	return a < b ? a : b;
}
static inline vec load(const float *p)
{
	vec v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void tile4(const float *in, long in_step, float *out, long out_step)
{
	vec a = load(in), b = load(in + in_step), c = load(in + 2 * in_step), d = load(in + 3 * in_step);
	vec ab_lo = SHUFFLE(a, b, 0, 4, 1, 5), ab_hi = SHUFFLE(a, b, 2, 6, 3, 7);
	vec cd_lo = SHUFFLE(c, d, 0, 4, 1, 5), cd_hi = SHUFFLE(c, d, 2, 6, 3, 7);
	vec r[4] = {SHUFFLE(ab_lo, cd_lo, 0, 1, 4, 5), SHUFFLE(ab_lo, cd_lo, 2, 3, 6, 7),
		    SHUFFLE(ab_hi, cd_hi, 0, 1, 4, 5), SHUFFLE(ab_hi, cd_hi, 2, 3, 6, 7)};
	for (int k = 0; k < 4; k++)
		memcpy(out + k * out_step, &r[k], sizeof(r[k]));
}

static void edge(const float *input, float *output, int rows, int cols, int i0, int i1, int j0, int j1)
{
	for (int j = j0; j < j1; j++)
		for (int i = i0; i < i1; i++)
			output[(long)j * rows + i] = input[(long)i * cols + j];
}

void solve(const float *input, float *output, int rows, int cols)
{
	int rows4 = rows - rows % 4, cols4 = cols - cols % 4;
	for (int j0 = 0; j0 < cols4; j0 += TILE)
		for (int i0 = 0; i0 < rows4; i0 += TILE) {
			int i1 = smaller(i0 + TILE, rows4), j1 = smaller(j0 + TILE, cols4);
			for (int j = j0; j < j1; j += 4)
				for (int i = i0; i < i1; i += 4)
					tile4(input + (long)i * cols + j, cols, output + (long)j * rows + i, rows);
		}
	edge(input, output, rows, cols, rows4, rows, 0, cols);
	edge(input, output, rows, cols, 0, rows4, cols4, cols);
}
