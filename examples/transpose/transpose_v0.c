/* output[cols][rows] = input[rows][cols] transposed, the plain way: rows are read, columns are written. */
void solve(const float *input, float *output, int rows, int cols)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < cols; j++)
			output[(long)j * rows + i] = input[(long)i * cols + j];
}
