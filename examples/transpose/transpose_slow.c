/* output[cols][rows] = input[rows][cols] transposed, right but slower: halves are split down to single elements. The idea
 * keeps every cache busy at any size; ended at one element, it pays a call for each. */
static void part(const float *input, float *output, int rows, int cols, int i0, int i1, int j0, int j1)
{
	if (i1 - i0 > 1 && i1 - i0 >= j1 - j0) {
		int mid = i0 + (i1 - i0) / 2;
		part(input, output, rows, cols, i0, mid, j0, j1);
		part(input, output, rows, cols, mid, i1, j0, j1);
	} else if (j1 - j0 > 1) {
		int mid = j0 + (j1 - j0) / 2;
		part(input, output, rows, cols, i0, i1, j0, mid);
		part(input, output, rows, cols, i0, i1, mid, j1);
	} else {
		output[(long)j0 * rows + i0] = input[(long)i0 * cols + j0];
	}
}

void solve(const float *input, float *output, int rows, int cols)
{
	if (rows > 0 && cols > 0)
		part(input, output, rows, cols, 0, rows, 0, cols);
}
