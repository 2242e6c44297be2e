/* Unit tests of the prerequisites: which item is met, which line was looked at, which of the four answers is given.
 * In: kernels in a temporary folder. Out: cmocka's report.
 * Never: builds or runs a kernel. */
#include "operator/check.h"

#include "operator/python.h"
#include "unit/operator_kit.h"

static struct check c;

static void look(struct kit *k, const char *name, const char *text)
{
	k->in.path = kit_file(k, name, text);
	if (!check_read(&c, &k->a, &k->in, &k->e))
		fail_msg("refused: %s", k->e.text);
}

static const struct check_item *item(const char *key)
{
	for (size_t i = 0; i < CHECK_ITEMS; i++) {
		if (strcmp(c.items[i].key, key) == 0)
			return &c.items[i];
	}
	fail_msg("no item %s", key);
	return NULL;
}

static void expect(const char *key, enum check_status status, unsigned line, const char *words)
{
	const struct check_item *i = item(key);
	if (i->status != status || i->line != line || !strstr(i->found, words))
		fail_msg("%s: %s, line %u: %s", key, check_status_name(i->status), i->line, i->found);
}

/* The seed's example, complete. */
static const char add_py[] =
	"import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"
	"def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):\n"
	"    pid = tl.program_id(axis=0)\n    tl.store(out_ptr, pid)\n\n"
	"def add_Tensor(self: torch.Tensor, other: torch.Tensor, *, alpha=1) -> torch.Tensor:\n"
	"    \"\"\"aten::add.Tensor\"\"\"\n    grid = lambda meta: (triton.cdiv(4, meta['BLOCK_SIZE']),)\n"
	"    add_kernel[grid](self, other, BLOCK_SIZE=1024)\n    return self\n\n"
	"def add_Scalar(self, other: float, *, alpha=1):\n    return add_Tensor(self, torch.full_like(self, other), "
	"alpha)\n\n"
	"def setup(M=1024, N=1024, seed=None, **kwargs):\n    return {\"inputs\": {}, \"outputs\": []}\n\n"
	"def run_kernel(x, y):\n    return add_Tensor(x, y)\n";

static void a_complete_triton_file(void **state)
{
	struct kit *k = *state;
	look(k, "add.py", add_py);
	assert_int_equal(c.n_not_met, 0);
	assert_true(c.is_readable);
	expect("implementation", CHECK_MET, 10, "'add_Tensor'");
	expect("overloads", CHECK_NOT_APPLICABLE, 0, "no list of overloads");
	expect("kernel", CHECK_MET, 5, "@triton.jit");
	assert_true(str_is(item("kernel")->line_text, "@triton.jit"));
	expect("benchmark_interface", CHECK_MET, 22, "entry 'run_kernel', setup in line 19");
	expect("data", CHECK_MET, 19, "setup() of this file");
	expect("parses", CHECK_MET, 22, "");
	expect("compiles_and_runs", CHECK_LATER, 0, "first run of v0");
	expect("correct", CHECK_NOT_APPLICABLE, 0, "no reference");
	kit_file(k, "add_ref.py", "def reference(**kw): pass\n");
	look(k, "add.py", add_py);
	expect("correct", CHECK_LATER, 0, "add_ref.py");
}

static void missing_wrappers(void **state)
{
	struct kit *k = *state;
	kit_file(k, "add.op.json",
		 "{\"format\": \"assay/operator-v1\", \"overloads\": [\"add.Tensor\", \"add.out\", \"add.Scalar\"]}");
	look(k, "add.py", add_py);
	expect("overloads", CHECK_NOT_MET, 0, "missing: add_out (for add.out)");
	assert_int_equal(c.n_not_met, 1);
	assert_int_equal(item("overloads")->answer, CHECK_ANSWER_COMPLETE);
	kit_file(k, "add.op.json",
		 "{\"format\": \"assay/operator-v1\", \"overloads\": [\"add.Tensor\", \"add.Scalar\"]}");
	look(k, "add.py", add_py);
	expect("overloads", CHECK_MET, 10, "all 2 listed overloads");
	look(k, "b.py",
	     "import triton\n@triton.jit\ndef k(p):\n    pass\ndef setup(M=4):\n    return {}\n"
	     "def run_kernel(x):\n    y = len(x)\n    return add_Tensor(x, y)\n");
	expect("implementation", CHECK_NOT_MET, 9, "'run_kernel' calls 'add_Tensor'");
	assert_non_null(strstr(check_answer_text(item("implementation")->answer), "complete implementation first"));
}

static void missing_interface(void **state)
{
	struct kit *k = *state;
	look(k, "a.py",
	     "import triton\n@triton.jit\ndef k(p):\n    pass\ndef add_Tensor(a, b):\n    return k[(1,)](a, b)\n");
	expect("implementation", CHECK_MET, 5, "add_Tensor");
	expect("benchmark_interface", CHECK_NOT_MET, 0, "define setup(**dims) and run_kernel(**inputs)");
	assert_int_equal(item("benchmark_interface")->answer, CHECK_ANSWER_INTERFACE);
	expect("data", CHECK_LATER, 0, "");
	expect("parses", CHECK_MET, 0, "");
	assert_false(c.is_readable);
	look(k, "b.py", "import triton\n@triton.jit\ndef k(p):\n    pass\ndef run_kernel(a):\n    return k[(1,)](a)\n");
	expect("benchmark_interface", CHECK_NOT_MET, 5, "run_kernel without setup");
	look(k, "c.cu", "__global__ void k(float *x) { }\n");
	expect("benchmark_interface", CHECK_NOT_MET, 0, "no entry; define extern \"C\" void solve");
	expect("kernel", CHECK_MET, 1, "__global__");
	expect("implementation", CHECK_MET, 1, "'k' is defined here");
	assert_int_equal(c.n_not_met, 1);
	look(k, "d.cu", "\nextern \"C\" void solve(float *x, int n);\n__global__ void k(float *x) { }\n");
	expect("implementation", CHECK_NOT_MET, 2, "'solve' is only declared");
	look(k, "e.cu", "#include <cuda.h>\n");
	expect("implementation", CHECK_NOT_MET, 0, "no function is defined");
}

static void unreadable_text(void **state)
{
	struct kit *k = *state;
	look(k, "a.cu", "__global__ void k(float *x) { }\n\nextern \"C\" void solve(float *x, real n) {}\n");
	expect("parses", CHECK_NOT_MET, 3, "parameter 2 'n': unknown type 'real'");
	assert_int_equal(item("parses")->answer, CHECK_ANSWER_FIX);
	expect("benchmark_interface", CHECK_MET, 3, "not understood");
	assert_int_equal(c.n_not_met, 1);
	look(k, "b.cu", "__global__ void k(float *x) {\n\n");
	expect("parses", CHECK_NOT_MET, 1, "has no }");
	expect("kernel", CHECK_LATER, 0, "");
	look(k, "c.py", "def setup():\n    return {'a': (1, 2}\n");
	expect("parses", CHECK_NOT_MET, 2, "'}' closes nothing");
	look(k, "d.py", "def setup():\n    return (1,\n");
	expect("parses", CHECK_NOT_MET, 2, "'(' of this line does not close");
	look(k, "e.py", "x = '''\n");
	expect("parses", CHECK_NOT_MET, 1, "string that starts here");
}

static void where_the_kernel_is(void **state)
{
	struct kit *k = *state;
	static const char solve[] = "extern \"C\" void solve(const float *x, float *y, int M, int N) { f(); }\n";
	look(k, "a.cu", solve);
	expect("kernel", CHECK_NOT_MET, 0, "no __global__ kernel");
	expect("data", CHECK_MET, 1, "guessed from --M, --N");
	assert_int_equal(item("kernel")->answer, CHECK_ANSWER_COMPLETE);
	look(k, "b.cu", arena_printf(&k->a, "#include <cub/cub.cuh>\n%s", solve));
	expect("kernel", CHECK_MET, 1, "library header");
	look(k, "c.cu", arena_printf(&k->a, "#include <cuda_runtime.h>\n#include \"k.cuh\"\n%s", solve));
	expect("kernel", CHECK_LATER, 2, "an included file may hold");
	look(k, "d.cu", arena_printf(&k->a, "using namespace cute;\n%s", solve));
	expect("kernel", CHECK_MET, 1, "CUTLASS");
	look(k, "e.c", "void solve(const float *x, float *y, int n) { }\n");
	expect("kernel", CHECK_NOT_APPLICABLE, 0, "backend c");
	assert_int_equal(c.n_not_met, 0);
	look(k, "f.cu",
	     arena_printf(&k->a, "extern \"C\" int setup(int *s) { return 0; }\n__global__ void k() {}\n%s", solve));
	expect("data", CHECK_MET, 1, "setup()");
}

static void input_faults_are_errors(void **state)
{
	struct kit *k = *state;
	k->in.path = "/nonexistent/a.cu";
	assert_false(check_read(&c, &k->a, &k->in, &k->e));
	k->in.path = kit_file(k, "a.cu", "extern \"C\" void solve(float *x, int n) {}\n");
	kit_file(k, "a.op.json", "{\"format\": \"x\"}");
	assert_false(check_read(&c, &k->a, &k->in, &k->e));
	assert_non_null(strstr(k->e.text, "assay/operator-v1"));
	k->in.flags = OPERATOR_NO_SEARCH;
	k->in.ref = "/nonexistent/r.py";
	assert_false(check_read(&c, &k->a, &k->in, &k->e));
	k->in.ref = NULL;
	k->in.backend = "triton";
	assert_false(check_read(&c, &k->a, &k->in, &k->e));
	assert_int_equal(k->e.code, ERR_USAGE);
}

static void settled_by_running(void **state)
{
	struct kit *k = *state;
	look(k, "e.c", "void solve(const float *x, float *y, int n) { }\n");
	check_settle(&c, &k->a, "compiles_and_runs", CHECK_NOT_MET, "e.c:1: error: x");
	expect("compiles_and_runs", CHECK_NOT_MET, 0, "e.c:1: error: x");
	assert_int_equal(c.n_not_met, 1);
	check_settle(&c, &k->a, "compiles_and_runs", CHECK_MET, "built and ran");
	assert_int_equal(c.n_not_met, 0);
	check_settle(&c, &k->a, "correct", CHECK_NOT_MET, "3 of 4 differ");
	struct json *j = check_json(&k->a, &c);
	struct json *last = json_path(j, "prerequisites.7");
	assert_true(str_is(json_str(last, "key", STR("")), "correct"));
	assert_true(str_is(json_str(last, "status", STR("")), "not_met"));
	assert_true(
		str_is(json_str(last, "answer", STR("")), "Fix the algorithm first, so that the result is correct."));
	assert_int_equal(json_i64(j, "n_not_met", -1), 1);
	assert_true(str_is(json_str(j, "data", STR("")), "guessed_sizes"));
}

static void python_is_scanned(void **state)
{
	struct kit *k = *state;
	struct python_source s;
	static const char text[] =
		"\"\"\"def setup(): no\"\"\"\n# def run_kernel():\nif True:\n    import triton as tr\n"
		"from torch import (nn,\n   Tensor)\nclass A:\n    def solve(self): pass\n"
		"@tr.autotune(configs=[\n  1])\n@tr.jit\ndef kern(x, BLOCK: 'tl.constexpr' = f'{1}'): pass\n"
		"async def run_kernel(a): pass\n"
		"def solve(a: int = (1, 2)[0], *args, b: dict[str, int] = {}, c=3 \\\n  , **kw): return helper(a)\n"
		"def solve(x, /, y): return kern[(1,)](x), y.solve(), print(Q)\n";
	assert_true(python_read(&s, &k->a, "t.py", str_from(text), &k->e));
	assert_int_equal(s.triton_line, 4);
	assert_int_equal(s.torch_line, 5);
	assert_int_equal(s.jit_line, 11);
	assert_null(python_function(&s, "setup"));
	assert_int_equal(s.n_functions, 4);
	const struct python_function *f = python_function(&s, "kern");
	assert_int_equal(f->line, 12);
	assert_int_equal(f->flags, PYTHON_JIT);
	assert_true(str_is(f->params[1].annotation, "'tl.constexpr'") && str_is(f->params[1].default_text, "f'{1}'"));
	assert_int_equal(python_function(&s, "run_kernel")->flags, PYTHON_ASYNC);
	f = &s.functions[2];
	assert_int_equal(f->flags, PYTHON_VARARGS | PYTHON_KWARGS);
	assert_int_equal(f->n_params, 3);
	assert_true(str_is(f->params[0].annotation, "int") && str_is(f->params[0].default_text, "(1, 2)[0]"));
	assert_true(str_is(f->params[1].annotation, "dict[str, int]") && f->params[1].flags == PYTHON_KEYWORD);
	assert_true(str_is(f->params[2].name, "c") && str_is(f->params[2].default_text, "3"));
	assert_true(str_is(python_missing(&s, f)->name, "helper"));
	f = python_function(&s, "solve"); /* the later one */
	assert_int_equal(f->n_params, 2);
	assert_null(python_missing(&s, f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_complete_triton_file, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(missing_wrappers, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(missing_interface, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(unreadable_text, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(where_the_kernel_is, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(input_faults_are_errors, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(settled_by_running, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(python_is_scanned, kit_setup, kit_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
