/* Unit tests of sizes without an operator file: the published rules, and what they refuse.
 * In: kernels in a temporary folder. Out: cmocka's report.
 * Never: builds or runs a kernel. */
#include "operator/sizes.h"

#include "unit/operator_kit.h"

#define MATMUL "extern \"C\" void solve(const float* A, const float* B, float* C, int M, int N, int K) {}\n"

static void two_largest_dims(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "mm.cu", MATMUL);
	kit_dim(k, "M", 64);
	kit_dim(k, "N", 128);
	kit_dim(k, "K", 256);
	kit_reads(k);
	assert_int_equal(k->op.backend, BACKEND_CUDA);
	assert_int_equal(k->op.data, DATA_GUESSED);
	assert_string_equal(k->op.stem, "mm");
	assert_int_equal(k->op.n_cases, 1);
	const struct op_case *c = &k->op.cases[0];
	assert_int_equal(c->args[0].n_elements, 128 * 256);
	assert_int_equal(c->args[2].n_elements, 128 * 256);
	assert_int_equal(c->args[2].bytes, 128 * 256 * 4);
	assert_int_equal(c->args[3].bits, 64);
	assert_int_equal(c->args[5].bits, 256);
	assert_int_equal(c->seed, 42);
	assert_int_equal(c->flags,
			 OP_CASE_COMMAND_LINE | OP_CASE_HAS_BYTES | OP_CASE_BYTES_SUMMED | OP_CASE_BYTES_GUESSED);
	assert_true(c->bytes == 3.0 * 128 * 256 * 4);
	assert_true(k->op.params[0].flags & PARAM_SHAPE_GUESSED);
	assert_true(kit_has_note(k, "K * N = 32768 elements (the two largest dimensions)"));
	assert_true(kit_has_note(k, "const pointers are inputs (A, B), the others outputs (C)"));
	assert_int_equal(c->args[0].fill.kind, FILL_NORMAL);
	assert_true(c->args[0].fill.lo == 0 && c->args[0].fill.hi == 1);
}

static void one_dim_and_ptr_size(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "v.c", "void solve(const float *x, double *y, int n) { }\n");
	kit_dim(k, "n", 1000);
	kit_reads(k);
	assert_int_equal(k->op.backend, BACKEND_C);
	assert_int_equal(k->op.cases[0].args[1].bytes, 8000);
	k->in.ptr_size = 77;
	kit_reads(k);
	assert_int_equal(k->op.cases[0].args[0].n_elements, 77);
	assert_int_equal(k->op.cases[0].args[2].bits, 1000);
	assert_true(kit_has_note(k, "77 elements of --ptr-size"));
	k->in.ptr_size = -1;
	kit_refuses(k, "--ptr-size=-1");
	k->in.path = kit_file(k, "w.c", "void solve(const float *x, float *y) { }\n");
	k->dims.n = 0;
	k->in.ptr_size = 0;
	kit_refuses(k, "w.c:1: 'solve' has no dimension to guess sizes from; give --ptr-size");
}

static void names_in_any_case(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "a.cu", "extern \"C\" void solve(float* x, int rows, int N, int n) {}\n");
	kit_dim(k, "ROWS", 3);
	kit_dim(k, "n", 5);
	kit_dim(k, "N", 7);
	kit_reads(k);
	assert_int_equal(k->op.cases[0].args[1].bits, 3);
	assert_int_equal(k->op.cases[0].args[2].bits, 7);
	assert_int_equal(k->op.cases[0].args[3].bits, 5);
	k->dims.n = 2;
	kit_refuses(k, "dimension 'N' has no value; give --N=VALUE"); /* n belongs to n */
	k->in.path = kit_file(k, "b.cu", "extern \"C\" void solve(float* x, int rOws, int RoWs) {}\n");
	k->dims.n = 0;
	kit_dim(k, "rows", 3);
	kit_refuses(k, "--rows: several names differ from it only in case");
}

static void dims_are_refused_by_name(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "mm.cu", "\n" MATMUL);
	kit_dim(k, "M", 64);
	kit_dim(k, "N", 128);
	kit_refuses(k, "mm.cu:2: dimension 'K' has no value; give --K=VALUE");
	kit_dim(k, "Q", 1);
	kit_refuses(k, "--Q=1: 'solve' in ");
	kit_refuses(k, "mm.cu:2 has no size of that name; it has: M, N, K");
	k->dim_items[2] = (struct opt_dim){"K", 0};
	kit_refuses(k, "--K=0: a dimension must be 1 or more");
	k->dim_items[2].value = -5;
	kit_refuses(k, "--K=-5: a dimension must be 1 or more");
	k->dim_items[2].value = INT64_C(3000000000);
	kit_refuses(k, "mm.cu:2: parameter 'K' is 3000000000, which int32 cannot hold");
	k->dim_items[2] = (struct opt_dim){"M", 3};
	kit_refuses(k, "--M: given twice");
}

static void products_are_checked(void **state)
{
	struct kit *k = *state;
	k->in.path =
		kit_file(k, "big.cu", "extern \"C\" void solve(const float* A, float* C, size_t M, long long N) {}\n");
	kit_dim(k, "M", INT64_C(4000000000));
	kit_dim(k, "N", INT64_C(4000000000));
	kit_refuses(k, "M * N = 4000000000 * 4000000000 overflows");
	k->dim_items[1].value = 100;
	kit_refuses(k,
		    "big.cu:1: parameter 'A': 400000000000 elements of float32 are more than the limit of 2^40 bytes");
	k->dim_items[0].value = INT64_C(1) << 38;
	k->dim_items[1].value = 1;
	kit_reads(k);
	assert_int_equal(k->op.cases[0].args[0].bytes, OPERATOR_MAX_BYTES);
}

static void scalars(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "s.cu",
			      "extern \"C\" void solve(const half* x, half* y, float alpha, double beta, half g = 2.0, "
			      "bool flag = true, signed char c = 3, int n = 2 * 8) {}\n");
	kit_dim(k, "beta", -2);
	kit_reads(k);
	const struct op_arg *args = k->op.cases[0].args;
	float alpha;
	double beta;
	memcpy(&alpha, &args[2].bits, sizeof alpha);
	memcpy(&beta, &args[3].bits, sizeof beta);
	assert_true(alpha == 0.5f && beta == -2.0);
	assert_true(k->op.params[2].flags & PARAM_VALUE_GUESSED);
	assert_false(k->op.params[3].flags & PARAM_VALUE_GUESSED);
	assert_true(kit_has_note(k, "value guessed: alpha = 0.5"));
	assert_int_equal(args[4].bits, 0x4000);
	assert_int_equal(args[5].bits, 1);
	assert_int_equal(args[7].bits, 16);
	assert_int_equal(args[0].n_elements, 3 * 16);
	k->dims.n = 0;
	kit_dim(k, "flag", 2);
	kit_refuses(k, "parameter 'flag' is 2, which bool cannot hold");
	k->dims.n = 0;
	k->in.path = kit_file(k, "t.cu", "extern \"C\" void solve(float* y, bool causal, int n) {}\n");
	kit_dim(k, "n", 4);
	kit_refuses(k, "t.cu:1: scalar 'causal' has no value; give --causal=VALUE");
}

/* A default that is not positive does not become a dimension. */
static void default_of_a_dim_is_checked(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "d.cu", "extern \"C\" void solve(float* y, int n = -4) {}\n");
	kit_refuses(k, "d.cu:1: parameter 'n' is -4; a dimension must be 1 or more");
}

static void integers_get_bounded_values(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "ce.cu",
			      "extern \"C\" void solve(const float* logits, const int* labels, const uint8_t* img, "
			      "const bool* mask, const int8_t* q, float* loss, int N, int C) {}\n");
	kit_dim(k, "N", 100);
	kit_dim(k, "C", 10);
	kit_reads(k);
	const struct op_arg *args = k->op.cases[0].args;
	assert_int_equal(args[1].fill.kind, FILL_INT);
	assert_true(args[1].fill.lo == 0 && args[1].fill.hi == 9); /* an index into either dim */
	assert_true(args[2].fill.hi == 255 && args[3].fill.hi == 1 && args[4].fill.lo == -127);
	assert_true(kit_has_note(k, "labels holds whole numbers from 0 to 9"));
}

static void default_tolerances(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(
		k, "t.cu", "extern \"C\" void solve(const float* x, float* a, half* b, int* c, double *d, int n) {}\n");
	kit_dim(k, "n", 8);
	kit_reads(k);
	const struct param *p = k->op.params;
	assert_true(p[1].atol == 1e-4 && p[1].rtol == 1e-3);
	assert_true(p[2].atol == 1e-2 && p[2].rtol == 1e-2);
	assert_true(p[3].atol == 0 && p[3].rtol == 0);
	assert_true(p[4].atol == 1e-8 && p[4].rtol == 1e-6);
	assert_int_equal(p[1].atol_from, TOLERANCE_DEFAULT);
	k->in.atol = 0.25;
	k->in.flags = OPERATOR_HAS_ATOL;
	kit_reads(k);
	assert_true(k->op.params[3].atol == 0.25 && k->op.params[3].rtol == 0);
	assert_int_equal(k->op.params[3].atol_from, TOLERANCE_COMMAND);
	k->in.atol = -1;
	kit_refuses(k, "--atol must be a number that is 0 or more");
}

static void backends(void **state)
{
	struct kit *k = *state;
	static const char run[] = "def setup(M=8):\n    return {}\ndef run_kernel(x):\n    return x\n";
	k->in.path = kit_file(k, "t.py", run);
	kit_reads(k);
	assert_int_equal(k->op.backend, BACKEND_TORCH);
	k->in.path = kit_file(k, "u.py", arena_printf(&k->a, "import triton\n%s", run));
	kit_reads(k);
	assert_int_equal(k->op.backend, BACKEND_TRITON);
	k->in.backend = "cuda";
	kit_refuses(k, "backend cuda takes a .cu file");
	k->in.backend = "hip";
	kit_refuses(k, "--backend=hip: must be c, cuda, cutlass, triton or torch");
	k->in.path = kit_file(k, "a.cu", "extern \"C\" void solve(float* y, int n = 4) {}\n");
	k->in.backend = "cutlass";
	kit_reads(k);
	assert_int_equal(k->op.backend, BACKEND_CUTLASS);
	k->in.backend = "c";
	kit_refuses(k, "backend c takes a .c file");
}

static void python_with_setup(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "add.py",
			      "import torch, triton\n@triton.jit\ndef k(p):\n    pass\n"
			      "def setup(M=1024, N = 512, K=None, seed=7):\n    return {}\n"
			      "def run_kernel(x, y):\n    return k[(1,)](x)\n");
	kit_dim(k, "m", 64);
	kit_reads(k);
	assert_int_equal(k->op.form, OPERATOR_PY_SETUP);
	assert_int_equal(k->op.data, DATA_SETUP);
	assert_int_equal(k->op.setup_line, 5);
	assert_int_equal(k->op.run_kernel_line, 7);
	assert_int_equal(k->op.n_params, 2);
	const struct op_case *c = &k->op.cases[0];
	assert_int_equal(c->n_dims, 2); /* M from the command line, N from its default; seed is no dim */
	assert_true(str_is(c->dims[0].name, "M") && c->dims[0].value == 64);
	assert_true(str_is(c->dims[1].name, "N") && c->dims[1].value == 512);
	assert_int_equal(c->args[0].n_elements, 0);
	kit_dim(k, "Q", 64);
	kit_refuses(k, "--Q: setup() in ");
	k->dims.n = 0;
	kit_dim(k, "M", 0);
	kit_refuses(k, "--M=0: a dimension must be 1 or more");
}

static void python_solve(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(
		k, "s.py", "import torch\ndef solve(A: torch.Tensor, B, out, N: int, alpha: float = 2.5):\n    pass\n");
	kit_dim(k, "N", 9);
	kit_reads(k);
	assert_int_equal(k->op.form, OPERATOR_PY_FUNCTION);
	assert_int_equal(k->op.params[1].role, PARAM_IN);
	assert_int_equal(k->op.params[2].role, PARAM_OUT);
	assert_int_equal(k->op.cases[0].args[2].bytes, 36);
	double alpha;
	memcpy(&alpha, &k->op.cases[0].args[4].bits, sizeof alpha);
	assert_true(alpha == 2.5);
	k->in.path = kit_file(k, "r.py", "def run_kernel(x):\n    return x\n");
	kit_refuses(k, "r.py:1: run_kernel without setup");
	k->in.path = kit_file(k, "n.py", "def f(x):\n    return x\n");
	kit_refuses(k, "n.py: no run_kernel, solve or solution");
	k->in.path = kit_file(k, "j.py", "import triton\n@triton.jit\ndef solve(x):\n    pass\n");
	kit_refuses(k, "j.py:3: 'solve' is a @triton.jit kernel");
}

static void references(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "sm_v12.cu", "extern \"C\" void solve(float* y, int n = 4) {}\n");
	kit_reads(k);
	assert_int_equal(k->op.reference_kind, REFERENCE_NONE);
	assert_null(k->op.reference.path);
	kit_file(k, "sm_ref.c", "void reference(void) {}\n");
	kit_reads(k);
	assert_int_equal(k->op.reference_kind, REFERENCE_C);
	assert_true(kit_has_note(k, "reference found beside the kernel: sm_ref.c"));
	kit_file(k, "sm_v12_ref.py", "def reference(**k): pass\n");
	kit_reads(k);
	assert_int_equal(k->op.reference_kind, REFERENCE_PY);
	k->in.flags = OPERATOR_NO_SEARCH;
	kit_reads(k);
	assert_int_equal(k->op.reference_kind, REFERENCE_NONE);
	k->in.ref = "/nonexistent/r.py";
	kit_refuses(k, "/nonexistent/r.py");
	assert_int_equal(k->e.code, ERR_INPUT);
	k->in.ref = kit_file(k, "r.txt", "x");
	kit_refuses(k, "r.txt: a reference is a .py, .c, .cpp or .cu file");
	k->in.path = "/nonexistent/k.cu";
	kit_refuses(k, "/nonexistent/k.cu");
}

static void digest_of_the_signature(void **state)
{
	struct kit *k = *state;
	char a[SHA256_HEX], b[SHA256_HEX];
	k->in.path = kit_file(k, "a.cu", "extern \"C\" void solve(const float* x, float* y, int n = 4) {}\n");
	kit_reads(k);
	operator_signature_digest(&k->op, a);
	k->in.path = kit_file(
		k, "b.cu",
		"// other\nextern \"C\" void solve(float const *x, float *__restrict__ y, int n = 5) { k(); }\n");
	kit_reads(k);
	operator_signature_digest(&k->op, b);
	assert_string_equal(a, b);
	k->in.path = kit_file(k, "c.cu", "extern \"C\" void solve(const float* x, half* y, int n = 4) {}\n");
	kit_reads(k);
	operator_signature_digest(&k->op, b);
	assert_string_not_equal(a, b);
}

static void as_json(void **state)
{
	struct kit *k = *state;
	k->in.path =
		kit_file(k, "a.cu",
			 "extern \"C\" void solve(const int* x, float* y, size_t n, float s, signed char c = -3) {}\n");
	kit_dim(k, "n", 6);
	kit_dim(k, "c", 5);
	kit_reads(k);
	struct json *j = operator_json(&k->a, &k->op);
	assert_true(str_is(json_str(j, "backend", STR("")), "cuda"));
	assert_int_equal(json_i64(json_path(j, "cases.0.args.n"), "value", 0), 6);
	assert_int_equal(json_i64(json_path(j, "cases.0.args.c"), "value", 0), 5);
	assert_true(json_f64(json_path(j, "cases.0.args.s"), "value", 0) == 0.5);
	assert_int_equal(json_i64(json_path(j, "cases.0.args.y"), "bytes", 0), 6 * 5 * 4);
	assert_true(str_is(json_str(json_path(j, "params.0"), "role", STR("")), "in"));
	assert_true(json_bool(json_path(j, "params.0"), "shape_guessed", false));
	assert_int_equal(json_path(j, "notes")->n, k->op.n_notes);
	int8_t minus = -3;
	k->op.cases[0].args[4].bits = 0;
	memcpy(&k->op.cases[0].args[4].bits, &minus, 1);
	j = operator_json(&k->a, &k->op);
	assert_int_equal(json_i64(json_path(j, "cases.0.args.c"), "value", 0), -3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(two_largest_dims, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(one_dim_and_ptr_size, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(names_in_any_case, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(dims_are_refused_by_name, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(products_are_checked, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(scalars, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(default_of_a_dim_is_checked, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(integers_get_bounded_values, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(default_tolerances, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(backends, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(python_with_setup, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(python_solve, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(references, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(digest_of_the_signature, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(as_json, kit_setup, kit_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
