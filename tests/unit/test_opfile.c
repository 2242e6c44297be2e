/* Unit tests of the operator file: what it says reaches the cases; what is wrong is refused by name.
 * In: JSON texts and kernels in a temporary folder. Out: cmocka's report.
 * Never: builds or runs a kernel. */
#include "operator/opfile.h"

#include "unit/operator_kit.h"

#define KERNEL                                                                                                         \
	"extern \"C\" void solve(const float* x, const int64_t* labels, float* y,\n  int M, int N, float eps) {}\n"
#define HEAD "{\"format\": \"assay/operator-v1\", "
#define PARAMS                                                                                                         \
	"\"params\": ["                                                                                                \
	"{\"name\": \"x\", \"role\": \"in\", \"dtype\": \"float32\", \"shape\": [\"M\", \"N\"],"                       \
	" \"fill\": {\"kind\": \"uniform\", \"lo\": -2, \"hi\": 3}},"                                                  \
	"{\"name\": \"labels\", \"role\": \"in\", \"shape\": [\"M\"], \"fill\": {\"kind\": \"int\", \"lo\": 0, "       \
	"\"hi\": "                                                                                                     \
	"\"N - 1\"}},"                                                                                                 \
	"{\"name\": \"y\", \"role\": \"out\", \"shape\": [\"M\", \"ceil_div(N, 2)\", 3], \"atol\": 0.125},"            \
	"{\"name\": \"M\", \"role\": \"dim\"}, {\"name\": \"N\", \"role\": \"dim\"},"                                  \
	"{\"name\": \"eps\", \"role\": \"scalar\", \"value\": 1e-5}]"
#define CASES                                                                                                          \
	", \"cases\": [{\"name\": \"main\", \"dims\": {\"M\": 64, \"N\": 32}},"                                        \
	" {\"name\": \"odd\", \"dims\": {\"M\": 5, \"N\": 7}, \"scalars\": {\"eps\": \"1 / N\"}}]"
#define WORK ", \"rtol\": 0.5, \"flops\": \"5 * M * N\", \"bytes\": \"8 * M * N\""
#define FULL HEAD PARAMS CASES WORK "}"

static void with_file(struct kit *k, const char *kernel, const char *json)
{
	k->in.path = kit_file(k, "s.cu", kernel);
	kit_file(k, "s.op.json", json);
}

static void everything_reaches_the_cases(void **state)
{
	struct kit *k = *state;
	with_file(k, KERNEL, FULL);
	kit_reads(k);
	assert_int_equal(k->op.data, DATA_FILE);
	assert_true(kit_has_note(k, "operator file found beside the kernel: s.op.json"));
	assert_int_equal(k->op.n_cases, 2);
	const struct op_case *c = &k->op.cases[0];
	assert_true(str_is(c->name, "main"));
	assert_int_equal(c->flags, OP_CASE_HAS_FLOPS | OP_CASE_HAS_BYTES);
	assert_true(c->flops == 5.0 * 64 * 32 && c->bytes == 8.0 * 64 * 32);
	assert_int_equal(c->args[0].n_dims, 2);
	assert_int_equal(c->args[0].shape[1], 32);
	assert_int_equal(c->args[1].bytes, 64 * 8);
	assert_int_equal(c->args[2].n_elements, 64 * 16 * 3);
	assert_true(c->args[0].fill.lo == -2 && c->args[0].fill.hi == 3);
	assert_true(c->args[1].fill.kind == FILL_INT && c->args[1].fill.hi == 31);
	float eps;
	memcpy(&eps, &c->args[5].bits, sizeof eps);
	assert_true(eps == 1e-5f);
	c++;
	assert_int_equal(c->seed, 43);
	assert_int_equal(c->args[2].n_elements, 5 * 4 * 3);
	assert_true(c->args[1].fill.hi == 6);
	memcpy(&eps, &c->args[5].bits, sizeof eps);
	assert_true(eps == 1.0f / 7);
	const struct param *y = &k->op.params[2];
	assert_true(y->atol == 0.125 && y->atol_from == TOLERANCE_FILE);
	assert_true(y->rtol == 0.5 && y->rtol_from == TOLERANCE_FILE);
	assert_false(y->flags & PARAM_ROLE_GUESSED);
}

static void command_line_is_the_first_case(void **state)
{
	struct kit *k = *state;
	with_file(k, KERNEL, FULL);
	kit_dim(k, "m", 100);
	kit_reads(k);
	assert_int_equal(k->op.n_cases, 3);
	assert_true(str_is(k->op.cases[0].name, "command_line"));
	assert_int_equal(k->op.cases[0].args[0].n_elements, 3200); /* N is the first case's */
	assert_int_equal(k->op.cases[1].args[0].n_elements, 2048);
	assert_true(k->op.cases[0].flags & OP_CASE_COMMAND_LINE);
	k->dim_items[0] = (struct opt_dim){"M", 64};
	kit_reads(k);
	assert_int_equal(k->op.n_cases, 2); /* the same as the first case */
	k->dim_items[0] = (struct opt_dim){"x", 64};
	kit_refuses(k, "--x=64");
}

static void derived_dims_and_extra_names(void **state)
{
	struct kit *k = *state;
	with_file(k, "extern \"C\" void solve(float* x, int total, int n_rows) {}\n",
		  HEAD "\"dims\": {\"B\": 3, \"N\": 4}, \"params\": ["
		       "{\"name\": \"x\", \"role\": \"inout\", \"shape\": [\"total\"]},"
		       "{\"name\": \"total\", \"role\": \"dim\", \"value\": \"n_rows * N\"},"
		       "{\"name\": \"n_rows\", \"role\": \"dim\", \"value\": \"2 * B\"}]}");
	kit_reads(k);
	assert_int_equal(k->op.cases[0].args[0].n_elements, 24);
	assert_int_equal(k->op.cases[0].args[2].bits, 6);
	assert_int_equal(k->op.cases[0].n_dims, 4);
	assert_true(k->op.cases[0].bytes == 24 * 4 * 2); /* read and written */
	assert_true(kit_has_note(k, "values guessed: x is normal(0, 1)"));
	kit_dim(k, "B", 10);
	kit_reads(k);
	assert_int_equal(k->op.cases[0].args[0].n_elements, 80);
}

static void containers_and_void(void **state)
{
	struct kit *k = *state;
	with_file(k, "extern \"C\" void solve(const void* x, const uint8_t* q, unsigned short *h) {}\n",
		  HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"dtype\": \"bfloat16\", \"shape\": [4]},"
		       "{\"name\": \"q\", \"role\": \"in\", \"dtype\": \"float8_e4m3fn\", \"shape\": [4]},"
		       "{\"name\": \"h\", \"role\": \"out\", \"dtype\": \"float16\", \"shape\": []}]}");
	kit_reads(k);
	assert_int_equal(k->op.params[0].dtype, DTYPE_BF16);
	assert_false(k->op.params[0].flags & PARAM_UNTYPED);
	assert_int_equal(k->op.params[1].dtype, DTYPE_F8E4M3);
	assert_int_equal(k->op.params[2].dtype, DTYPE_F16);
	assert_true(k->op.params[2].atol == 1e-2); /* of float16, not of the container */
	assert_int_equal(k->op.cases[0].args[2].n_elements, 1);
	k->in.flags = OPERATOR_NO_SEARCH;
	kit_refuses(k, "s.cu:1: parameter 1 'x': const void * has no element type");
}

static void python_entries(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "p.py", "import torch\ndef run_kernel(a, *, scale=1.0, n):\n    return a\n");
	k->in.op_file = kit_file(
		k, "p.json",
		HEAD "\"params\": [{\"name\": \"a\", \"role\": \"in\", \"dtype\": \"float16\", \"shape\": [\"n\"]},"
		     "{\"name\": \"n\", \"role\": \"dim\", \"value\": 12},"
		     "{\"name\": \"result\", \"role\": \"out\", \"dtype\": \"float16\", \"shape\": [\"n\"], "
		     "\"returned\": true}]}");
	kit_reads(k);
	assert_int_equal(k->op.n_params, 3);
	assert_int_equal(k->op.params[1].flags & PARAM_KEYWORD, PARAM_KEYWORD);
	assert_true(str_is(k->op.params[2].name, "result"));
	assert_true(k->op.params[2].flags & PARAM_RETURNED);
	assert_int_equal(k->op.cases[0].args[2].bytes, 24);
	k->in.op_file = kit_file(k, "q.json",
				 HEAD "\"params\": [{\"name\": \"a\", \"role\": \"in\", \"shape\": [3]},"
				      "{\"name\": \"n\", \"role\": \"dim\", \"value\": 12}]}");
	kit_refuses(k, "'a': needs \"dtype\": a .py signature does not tell it");
	k->in.op_file = kit_file(k, "r.json",
				 HEAD "\"params\": [{\"name\": \"a\", \"role\": \"in\", \"dtype\": \"half\", "
				      "\"shape\": [3]}, {\"name\": \"n\", \"role\": \"dim\", \"value\": 12}, "
				      "{\"name\": \"b\", \"role\": \"out\", \"dtype\": \"half\", \"shape\": [3]}]}");
	kit_refuses(k, "'run_kernel' has no such parameter; an output that it returns needs \"returned\": true");
}

static void reference_and_entry(void **state)
{
	struct kit *k = *state;
	kit_file(k, "my_reference.cpp", "x");
	with_file(k, "extern \"C\" void solve(int n) {}\nextern \"C\" void other(float *x) {}\n",
		  HEAD "\"description\": \"d\", \"entry\": \"other\", \"reference\": \"my_reference.cpp\", \"params\": "
		       "[{\"name\": \"x\", \"role\": \"inout\", \"shape\": [4], \"fill\": {\"kind\": \"zero\"}}]}");
	kit_reads(k);
	assert_true(str_is(k->op.entry, "other"));
	assert_int_equal(k->op.reference_kind, REFERENCE_CPP);
	assert_string_equal(path_base(k->op.reference.path), "my_reference.cpp");
	assert_int_equal(k->op.cases[0].args[0].fill.kind, FILL_ZERO);
	k->in.entry = "solve";
	kit_refuses(k, "s.op.json: 'n' of ");
}

/* The file without params: tolerances and work only; sizes are guessed. */
static void without_params(void **state)
{
	struct kit *k = *state;
	with_file(k, "extern \"C\" void solve(const float* x, float *y, int n) {}\n",
		  HEAD "\"dims\": {\"n\": 16}, \"atol\": 0.5, \"flops\": \"2 * n\"}");
	kit_reads(k);
	assert_int_equal(k->op.data, DATA_GUESSED);
	assert_true(k->op.params[1].atol == 0.5 && k->op.params[1].rtol == 1e-3);
	assert_true(k->op.cases[0].flops == 32);
	assert_int_equal(k->op.cases[0].args[1].n_elements, 16);
}

struct fault {
	const char *json, *words;
};

static const struct fault file_faults[] = {
	{"{", "s.op.json: line 1"},
	{"[]", "s.op.json: must be a JSON object"},
	{"{\"format\": \"assay/operator-v2\"}", "\"format\" must be \"assay/operator-v1\""},
	{HEAD "\"format\": \"assay/operator-v1\"}", "duplicate key"},
	{HEAD "\"parms\": []}", "s.op.json: unknown key \"parms\"; the nearest known one is \"params\""},
	{HEAD "\"params\": {}}", "\"params\" must be a list"},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shpae\": [1]}]}",
	 "params[0]: unknown key \"shpae\"; the nearest known one is \"shape\""},
	{HEAD "\"params\": [{\"role\": \"in\"}]}", "params[0]: \"name\" must be"},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"input\"}]}", "params[0] 'x': \"role\" must be one of"},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\"}]}", "params[0] 'x': a tensor needs \"shape\""},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"dtype\": \"float31\", \"shape\": [1]}]}",
	 "params[0] 'x': unknown dtype \"float31\""},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [0]}]}",
	 "size 1 must be a whole number above 0"},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [\"M *\"]}]}", "params[0] 'x': \"shape\": "},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [1,1,1,1,1,1,1,1,1]}]}", "at most 8 sizes"},
	{HEAD "\"params\": [{\"name\": \"M\", \"role\": \"dim\", \"range\": 7}]}", "\"range\" must be an object"},
	{HEAD "\"params\": [{\"name\": \"M\", \"role\": \"dim\", \"range\": {\"least\": 7}}]}",
	 "unknown key \"least\""},
	{HEAD "\"params\": [{\"name\": \"M\", \"role\": \"dim\", \"range\": {\"min\": 0}}]}",
	 "\"range\": \"min\" must be a whole number from 1"},
	{HEAD "\"params\": [{\"name\": \"M\", \"role\": \"dim\", \"range\": {\"min\": 9, \"max\": 8}}]}",
	 "params[0] 'M': \"range\": no size is in it"},
	{HEAD "\"params\": [{\"name\": \"M\", \"role\": \"dim\", \"range\": {\"min\": 17, \"max\": 31, "
	      "\"multiple_of\": 16}}]}",
	 "\"range\": no size is in it"},
	{HEAD "\"params\": [{\"name\": \"s\", \"role\": \"scalar\", \"range\": {}}]}", "a scalar has no \"range\""},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": \"gauss\"}}]}",
	 "\"kind\" must be one of"},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": "
	      "\"uniform\", \"lo\": 1}}]}",
	 "\"uniform\" needs \"hi\""},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": "
	      "\"normal\", \"lo\": 1}}]}",
	 "unknown key \"lo\""},
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [1], \"atol\": 1}]}",
	 "only out and inout have a tolerance"},
	{HEAD "\"params\": [{\"name\": \"y\", \"role\": \"out\", \"shape\": [1], \"atol\": -1}]}",
	 "\"atol\" must be a number"},
	{HEAD "\"params\": [{\"name\": \"y\", \"role\": \"out\", \"shape\": [1], \"fill\": {\"kind\": \"zero\"}}]}",
	 "only in and inout have a \"fill\""},
	{HEAD "\"params\": [{\"name\": \"M\", \"role\": \"dim\"}, {\"name\": \"M\", \"role\": \"dim\"}]}",
	 "params[1] 'M': a second parameter of that name"},
	{HEAD PARAMS ", \"cases\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "cases[1] 'a': a second case"},
	{HEAD PARAMS ", \"cases\": [{\"dims\": {}}]}", "cases[0]: needs a \"name\""},
	{HEAD PARAMS ", \"cases\": [{\"name\": \"a\", \"dims\": {\"M\": 0}}]}",
	 "cases[0] 'a': \"dims\": M must be a whole number"},
	{HEAD PARAMS ", \"cases\": [{\"name\": \"a\", \"dims\": {\"M\": 1.5}}]}", "M must be a whole number"},
	{HEAD PARAMS ", \"cases\": [{\"name\": \"a\", \"scalars\": {\"M\": 1}}]}",
	 "\"M\" is no parameter with role scalar"},
	{HEAD PARAMS ", \"flops\": \"2 *\"}", "s.op.json: \"flops\": "},
	{HEAD PARAMS ", \"overloads\": [\"add..x\"]}", "\"overloads\": item 1"},
	{HEAD PARAMS ", \"entry\": \"a b\"}", "\"entry\" must be the name"},
	{HEAD PARAMS ", \"reference\": \"none.py\"}", "none.py"},
	/* against the signature */
	{HEAD "\"params\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [1]}]}", "s.op.json: 'labels' of "},
	{HEAD PARAMS ", \"dims\": {\"M\": 4}}", "s.cu:2: dimension 'N' has no value; give --N=VALUE or put it"},
	{HEAD PARAMS ", \"dims\": {\"M\": 4, \"N\": 4}, \"flops\": \"Q\"}", "s.op.json: \"flops\""},
	{HEAD PARAMS ", \"dims\": {\"M\": 4, \"N\": 4}, \"bytes\": -1}", "\"bytes\" is -1"},
	{HEAD PARAMS ", \"dims\": {\"M\": 4, \"N\": 3000000000}}", "'N' is 3000000000, which int32 cannot hold"},
	{HEAD PARAMS ", \"cases\": [{\"name\": \"big\", \"dims\": {\"M\": 2000000000, \"N\": 2000000000}}]}",
	 "case 'big': 'x': 4000000000000000000 elements of float32 are more than the limit"},
};

static void faults_are_named(void **state)
{
	struct kit *k = *state;
	for (size_t i = 0; i < COUNT_OF(file_faults); i++) {
		with_file(k, KERNEL, file_faults[i].json);
		kit_refuses(k, file_faults[i].words);
	}
}

/* One parameter `x` against one description. */
static void contradictions(void **state)
{
	static const struct {
		const char *declaration, *description, *words;
	} faults[] = {
		{"const float *x", "\"role\": \"out\", \"shape\": [1]", "'x': role out, but in "},
		{"const float *x", "\"role\": \"inout\", \"shape\": [1]", "it points to const"},
		{"float *x", "\"role\": \"dim\"", "it is a pointer"},
		{"int x", "\"role\": \"in\", \"shape\": [1]", "it is no pointer"},
		{"float x", "\"role\": \"dim\"", "it is no integer"},
		{"float *x", "\"role\": \"in\", \"dtype\": \"float16\", \"shape\": [1]", "'x': dtype float16, but "},
		{"int8_t *x", "\"role\": \"in\", \"dtype\": \"float16\", \"shape\": [1]", "says int8_t *"},
		{"void *x", "\"role\": \"in\", \"shape\": [1]", "'x': needs \"dtype\": "},
		{"float *x", "\"role\": \"out\", \"shape\": [1], \"returned\": true", "so it is not \"returned\""},
		{"float *x", "\"role\": \"in\", \"shape\": [\"3 - 3\"]",
		 "shape 1 \"3 - 3\" is 0; a size must be 1 or more"},
		{"float *x", "\"role\": \"in\", \"shape\": [\"Q\"]", "shape 1: 'Q'"},
		{"float *x", "\"role\": \"in\", \"shape\": [9000000000, 9000000000]",
		 "'x': the product of its sizes overflows"},
		{"float *x", "\"role\": \"in\", \"shape\": [\"9000000000 * 9000000000\"]",
		 "the result does not fit 64 bits"},
		{"int *x", "\"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": \"uniform\", \"lo\": 0, \"hi\": 1}",
		 "fill uniform for int32"},
		{"int8_t *x", "\"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": \"int\", \"lo\": 0, \"hi\": 128}",
		 "fit the dtype"},
		{"int8_t *x", "\"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": \"int\", \"lo\": 0, \"hi\": 1.5}",
		 "must be whole"},
		{"half *x", "\"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": \"const\", \"value\": 65505}",
		 "does not fit the dtype"},
		{"float *x",
		 "\"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": \"uniform\", \"lo\": 1, \"hi\": 1}",
		 "\"lo\" must be below"},
		{"float *x",
		 "\"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": \"normal\", \"mean\": 0, \"std\": 0}",
		 "\"std\" must be above 0"},
		{"bool *x", "\"role\": \"in\", \"shape\": [1], \"fill\": {\"kind\": \"bits\"}", "bits make no bool"},
		{"int x", "\"role\": \"dim\", \"value\": 0", "'x' is 0; a dimension must be 1 or more"},
		{"int x", "\"role\": \"dim\", \"value\": \"x + 1\"", "value: 'x + 1'"},
		{"unsigned x", "\"role\": \"scalar\", \"value\": -1", "'x' is -1, which uint32 cannot hold"},
		{"half x", "\"role\": \"scalar\", \"value\": 1e6", "'x' is 1e+06, which float16 cannot hold"},
		{"float x", "\"role\": \"scalar\"", "scalar 'x' has no value; give --x=VALUE or put it"},
	};
	struct kit *k = *state;
	for (size_t i = 0; i < COUNT_OF(faults); i++) {
		with_file(k, arena_printf(&k->a, "extern \"C\" void solve(%s) {}\n", faults[i].declaration),
			  arena_printf(&k->a, HEAD "\"params\": [{\"name\": \"x\", %s}]}", faults[i].description));
		kit_refuses(k, faults[i].words);
	}
}

static void a_stray_parameter(void **state)
{
	struct kit *k = *state;
	with_file(k, "extern \"C\" void solve(float *x) {}\n",
		  HEAD "\"params\": [{\"name\": \"x\", \"role\": \"inout\", \"shape\": [1]}, {\"name\": \"z\", "
		       "\"role\": \"dim\"}]}");
	kit_refuses(k, "s.op.json: 'z': ");
	kit_refuses(k, "s.cu:1: 'solve' has no such parameter");
}

static void named_file_must_exist(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(k, "s.cu", KERNEL);
	k->in.op_file = "/nonexistent/a.op.json";
	kit_refuses(k, "/nonexistent/a.op.json");
	assert_int_equal(k->e.code, ERR_INPUT);
}

/* setup() supplies the data; of the file tolerances, dims and work count. */
static void setup_wins(void **state)
{
	struct kit *k = *state;
	k->in.path = kit_file(
		k, "t.py", "import triton\ndef setup(M=8, **kw):\n    return {}\ndef run_kernel(x, out):\n    pass\n");
	kit_file(k, "t.op.json", HEAD "\"atol\": 0.5, \"dims\": {\"M\": 9, \"N\": 3}, \"flops\": \"M * N\"}");
	kit_reads(k);
	assert_int_equal(k->op.data, DATA_SETUP);
	assert_true(k->op.cases[0].flops == 27);
	assert_true(k->op.params[1].atol == 0.5);
}

/* The document that stands for version 1, which is also the example of docs/FORMATS.md. */
static void the_kept_document(void **state)
{
	struct kit *k = *state;
	struct str document, docs;
	assert_true(file_read(&k->a, &document, "tests/data/formats/operator-v1.json", 65536, &k->e));
	assert_true(file_read(&k->a, &docs, "docs/FORMATS.md", 1 << 20, &k->e));
	assert_true(str_find(docs, document) != SIZE_MAX);
	kit_file(k, "softmax_ref.py", "def reference(**kw): pass\n");
	with_file(k, "extern \"C\" void solve(const float *x, float *y, int M, int N, float temperature) {}\n",
		  document.p);
	kit_reads(k);
	assert_int_equal(k->op.n_cases, 2);
	assert_true(k->op.cases[0].flops == 5.0 * 4096 * 1024 && k->op.cases[0].bytes == 8.0 * 4096 * 1024);
	assert_int_equal(k->op.cases[1].args[1].n_elements, 37 * 1023);
	assert_int_equal(k->op.reference_kind, REFERENCE_PY);
	assert_true(k->op.params[1].atol == 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(everything_reaches_the_cases, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(command_line_is_the_first_case, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(derived_dims_and_extra_names, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(containers_and_void, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(python_entries, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(reference_and_entry, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(without_params, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(faults_are_named, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(contradictions, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(a_stray_parameter, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(named_file_must_exist, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(setup_wins, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(the_kept_document, kit_setup, kit_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
