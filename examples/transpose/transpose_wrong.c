/* output[cols][rows] = input[rows][cols] transposed: WRONG, kept as an example of what a check has to find. Only whole
 * tiles of 16 x 16 are moved: with rows and cols that are multiples of 16 nothing shows. */
enum { TILE = 16 };

void solve(const float *input, float *output, int rows, int cols)
{
	for (int i0 = 0; i0 + TILE <= rows; i0 += TILE)
		for (int j0 = 0; j0 + TILE <= cols; j0 += TILE)
			for (int j = j0; j < j0 + TILE; j++)
				for (int i = i0; i < i0 + TILE; i++)
					output[(long)j * rows + i] = input[(long)i * cols + j];
}
