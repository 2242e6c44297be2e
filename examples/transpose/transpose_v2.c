/* output[cols][rows] = input[rows][cols] transposed. Against v1: in tiles of 16 x 16, so that each cache line of both
 * sides is used in full before it is pushed out. */
enum { TILE = 16 };

static inline int smaller(int a, int b)
{
	return a < b ? a : b;
}

void solve(const float *input, float *output, int rows, int cols)
{
	for (int i0 = 0; i0 < rows; i0 += TILE)
		for (int j0 = 0; j0 < cols; j0 += TILE) {
			int i1 = smaller(i0 + TILE, rows), j1 = smaller(j0 + TILE, cols);
			for (int j = j0; j < j1; j++)
				for (int i = i0; i < i1; i++)
					output[(long)j * rows + i] = input[(long)i * cols + j];
		}
}
