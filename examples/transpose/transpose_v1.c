/* output[cols][rows] = input[rows][cols] transposed. Against v0: columns are read and rows are written, because the
 * processor overlaps loads that miss the cache and waits for stores. */
void solve(const float *input, float *output, int rows, int cols)
{
	for (int j = 0; j < cols; j++)
		for (int i = 0; i < rows; i++)
			output[(long)j * rows + i] = input[(long)i * cols + j];
}
