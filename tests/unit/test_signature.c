/* Unit tests of operator/lex, source, ctype and signature: what parses, to what; what is refused, and with which words.
 * In: literals. Out: cmocka's report.
 * Never: compiles anything. */
#include "operator/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "operator/guess.h"

/* Letters behind the type: p pointer, c const, r reference, u untyped. Roles as guessed without an operator file. */
struct form {
	const char *what, *text, *expected;
};
static const struct form forms[] = {
	{"plain", "extern \"C\" void solve(const float* A, const float* B, float* C, int N) { }",
	 "solve C: A float32 pc in, B float32 pc in, C float32 p out, N int32 - dim"},
	{"block", "extern \"C\" {\nvoid solve(const float *x, float *y, int n) { k<<<1, 2>>>(x, y, n); }\n}",
	 "solve C: x float32 pc in, y float32 p out, n int32 - dim"},
	{"star at the name", "extern \"C\" void solve(float *A, float const *B, int n){}",
	 "solve C: A float32 p out, B float32 pc in, n int32 - dim"},
	{"east const, const pointer", "extern \"C\" void solve(float const* const A, float* const B, int const n){}",
	 "solve C: A float32 pc in, B float32 p out, n int32 c dim"},
	{"__restrict__", "extern \"C\" void solve(const float* __restrict__ A, float* __restrict__ B, int N) {}",
	 "solve C: A float32 pc in, B float32 p out, N int32 - dim"},
	{"__restrict", "extern \"C\" void solve(const float *__restrict A, float *__restrict B, int N) {}",
	 "solve C: A float32 pc in, B float32 p out, N int32 - dim"},
	{"C restrict", "void solve(const float *restrict a, float *restrict b, size_t n) {}",
	 "solve C: a float32 pc in, b float32 p out, n uint64 - dim"},
	{"comments in the signature",
	 "// a, b are device pointers\nextern \"C\" void solve(const float* a /* [M][K], row-major */,\n"
	 "                      float* b, // out (int x)\n  int M /*, int K */, int N) {}",
	 "solve C: a float32 pc in, b float32 p out, M int32 - dim, N int32 - dim"},
	{"newline between everything", "extern\n\"C\"\nvoid\nsolve\n(\nconst\nfloat\n*\nA\n,\nfloat\n*\nB\n)\n{\n}",
	 "solve C: A float32 pc in, B float32 p out"},
	{"reference", "extern \"C\" void solve(const float *x, float *y, const int &n, const float& alpha) {}",
	 "solve C: x float32 pc in, y float32 p out, n int32 cr dim, alpha float32 cr scalar"},
	{"default values", "extern \"C\" void solve(const float *x, float *y, int n = 1 << 4, float a = 0.5f) {}",
	 "solve C: x float32 pc in, y float32 p out, n int32 - dim, a float32 - scalar=0.5"},
	{"default with arithmetic",
	 "extern \"C\" void solve(float *y, int n = 4 * 1024, double e = -1e-5, bool b = true) {}",
	 "solve C: y float32 p inout, n int32 - dim=4*1024, e float64 - scalar=-1e-05, b bool - scalar=1"},
	{"half", "#include <cuda_fp16.h>\nextern \"C\" void solve(const half* A, __half* B, int N) {}",
	 "solve C: A float16 pc in, B float16 p out, N int32 - dim"},
	{"bf16", "extern \"C\" void solve(const __nv_bfloat16* A, nv_bfloat16* B, long long N) {}",
	 "solve C: A bfloat16 pc in, B bfloat16 p out, N int64 - dim"},
	{"fp8", "extern \"C\" void solve(const __nv_fp8_e4m3* A, const __nv_fp8_e5m2 *B, float* C, unsigned n) {}",
	 "solve C: A float8_e4m3fn pc in, B float8_e5m2 pc in, C float32 p out, n uint32 - dim"},
	{"fixed-width integers",
	 "extern \"C\" void solve(const int8_t* a, const uint8_t* b, const int16_t* c, const uint16_t* d, int32_t* e, "
	 "uint32_t f, int64_t g, uint64_t h) {}",
	 "solve C: a int8 pc in, b uint8 pc in, c int16 pc in, d uint16 pc in, e int32 p out, f uint32 - dim, g int64 "
	 "- "
	 "dim, h uint64 - dim"},
	{"size_t, std::size_t, std::uint8_t",
	 "extern \"C\" void solve(const std::uint8_t* a, uint8_t* b, std::size_t n, ::size_t m) {}",
	 "solve C: a uint8 pc in, b uint8 p out, n uint64 - dim, m uint64 - dim"},
	{"long long in any order",
	 "extern \"C\" void solve(long long int const *a, int *b, unsigned long long n, long unsigned int long m, "
	 "int long k, long q) {}",
	 "solve C: a int64 pc in, b int32 p out, n uint64 - dim, m uint64 - dim, k int64 - dim, q int64 - dim"},
	{"unsigned, char, short",
	 "extern \"C\" void solve(const unsigned int *a, unsigned char *b, short int n, unsigned short m, signed char "
	 "c) {}",
	 "solve C: a uint32 pc in, b uint8 p out, n int16 - dim, m uint16 - dim, c int8 - dim"},
	{"bool", "extern \"C\" void solve(const bool *mask, float *y, bool causal, int n) {}",
	 "solve C: mask bool pc in, y float32 p out, causal bool - scalar, n int32 - dim"},
	{"scalars anywhere",
	 "extern \"C\" void solve(float alpha, const float *x, double beta, float *y, half g, int n) {}",
	 "solve C: alpha float32 - scalar, x float32 pc in, beta float64 - scalar, y float32 p out, g float16 - "
	 "scalar, "
	 "n int32 - dim"},
	{"in place", "extern \"C\" void solve(float* image, int width, int height) {}",
	 "solve C: image float32 p inout, width int32 - dim, height int32 - dim"},
	{"inputs without const",
	 "extern \"C\" void solve(float* Q, float* cosv, float* sinv, float* out, int M, int D) {}",
	 "solve C: Q float32 p inout, cosv float32 p inout, sinv float32 p inout, out float32 p inout, M int32 - dim, "
	 "D "
	 "int32 - dim"},
	{"array", "extern \"C\" void solve(const float A[], float B[restrict 16], int C[4][4], int n) {}",
	 "solve C: A float32 pc in, B float32 p out, C int32 p out, n int32 - dim"},
	{"Tensara's name", "extern \"C\" void solution(const float* a, float* c, size_t n) {}",
	 "solution C: a float32 pc in, c float32 p out, n uint64 - dim"},
	{"run_kernel beside setup",
	 "extern \"C\" int setup(void *s) { return 0; }\nextern \"C\" void solve(float *a, int n) {}\n"
	 "extern \"C\" void run_kernel(const float *x, float *y, int n) {}",
	 "run_kernel C: x float32 pc in, y float32 p out, n int32 - dim"},
	{"the only extern C",
	 "static void help(int a) {}\nextern \"C\" void softmax(const float *x, float *y, int n) {}",
	 "softmax C: x float32 pc in, y float32 p out, n int32 - dim"},
	{"C++ linkage", "#include \"solve.h\"\nvoid solve(const float* A, float* B, int N) { }",
	 "solve C++: A float32 pc in, B float32 p out, N int32 - dim"},
	{"declared extern C before",
	 "extern \"C\" void solve(const float*, float*, int);\n"
	 "void solve(const float* A, float* B, int N) { }",
	 "solve C: A float32 pc in, B float32 p out, N int32 - dim"},
	{"attributes",
	 "extern \"C\" __attribute__((visibility(\"default\"))) void solve([[maybe_unused]] const float* A, "
	 "float* B __attribute__((aligned(16))), alignas(8) int n) noexcept {}",
	 "solve C: A float32 pc in, B float32 p out, n int32 - dim"},
	{"returns int", "extern \"C\" int solve(const float *a, float *b, int n) { return 0; }",
	 "solve C int: a float32 pc in, b float32 p out, n int32 - dim"},
	{"trailing return", "extern \"C\" auto solve(const float *a, float *b, int n) -> void {}",
	 "solve C: a float32 pc in, b float32 p out, n int32 - dim"},
	{"__cplusplus guards",
	 "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid solve(const float *a, float *b, int n) {}\n"
	 "#ifdef __cplusplus\n}\n#endif\n",
	 "solve C: a float32 pc in, b float32 p out, n int32 - dim"},
	{"dead code before",
	 "#if 0\nextern \"C\" void solve(double *wrong) { isn't code }\n#else\n"
	 "extern \"C\" void solve(const float *a, float *b, int n) {}\n#endif\n",
	 "solve C: a float32 pc in, b float32 p out, n int32 - dim"},
	{"both branches define it",
	 "#ifdef A\nextern \"C\" void solve(const float *a, float *b, int n) { if (n) {\n}\n}\n#else\n"
	 "extern \"C\" void solve(const float *a, float *b, int n) { }\n#endif\n",
	 "solve C: a float32 pc in, b float32 p out, n int32 - dim"},
	{"braces in both branches",
	 "static void f(int a) {\n#ifdef X\n if (a) {\n#else\n while (a) {\n#endif\n }\n}\n"
	 "extern \"C\" void solve(const float *a, float *b, int n) {}",
	 "solve C: a float32 pc in, b float32 p out, n int32 - dim"},
	{"strings and raw strings before",
	 "const char *s = \"extern \\\"C\\\" void solve(int *bad) {\"; const char c = '\\'';\n"
	 "const char *r = R\"x(void solve(int a) { \" )x\"; int big = 1'000'000;\n"
	 "extern \"C\" void solve(const float *a, float *b, int n) {}",
	 "solve C: a float32 pc in, b float32 p out, n int32 - dim"},
	{"templates, classes, kernels before",
	 "template <typename T, int N = (3 > 2)> __global__ void k(const T *x) { if (x < (T *)0) { } }\n"
	 "struct A { void solve(int); int b; };\nenum class E { X, Y };\nnamespace n { void solve(int a) {} }\n"
	 "using V = float; typedef struct { int a; } T;\nstatic const int t[] = {1, 2, 3};\n"
	 "auto l = [](int a) { return a; };\n__launch_bounds__(256) __global__ void q(float *x) {}\n"
	 "extern \"C\" void solve(const float *a, float *b, int n) {}",
	 "solve C: a float32 pc in, b float32 p out, n int32 - dim"},
	{"void pointer", "extern \"C\" void solve(const void *a, void *b, int n) {}",
	 "solve C: a ? pcu in, b ? pu out, n int32 - dim"},
	{"CUTLASS types", "extern \"C\" void solve(const cutlass::half_t *a, cutlass::bfloat16_t *b, int n) {}",
	 "solve C: a float16 pc in, b bfloat16 p out, n int32 - dim"},
	{"typedef that says the same",
	 "typedef unsigned int uint;\nextern \"C\" void solve(const uint *a, uint *b, int n) {}",
	 "solve C: a uint32 pc in, b uint32 p out, n int32 - dim"},
	{"line splice and CRLF", "extern \"C\" void solve(const float *a,\\\r\n float *b,\r\n int n)\r\n{\r\n}\r\n",
	 "solve C: a float32 pc in, b float32 p out, n int32 - dim"},
};

/* Refused, with the words that the message must hold. */
struct broken {
	const char *what, *text, *words[3];
};
static const struct broken broken[] = {
	{"no entry", "static void f(int a) {}\n", {"t.cu: no entry", "extern \"C\" void solve("}},
	{"typedef",
	 "typedef float real;\nextern \"C\" void solve(const real *x, float *y) {}",
	 {"t.cu:2: parameter 1 'x': 'real' is a typedef of line 1", "write the plain type"}},
	{"using",
	 "\nusing R = double;\nextern \"C\" void solve(float *y,\n R alpha) {}",
	 {"t.cu:4: parameter 2 'alpha': 'R' is a typedef of line 2"}},
	{"macro as type",
	 "#define REAL float\nextern \"C\" void solve(REAL *x, int n) {}",
	 {"t.cu:2: parameter 1 'x': 'REAL' is a macro of line 1", "not expanded"}},
	{"macro as qualifier",
	 "#define R __restrict__\nextern \"C\" void solve(const float *R x, int n) {}",
	 {"t.cu:2: parameter 1 'x': 'R' is a macro of line 1"}},
	{"known name redefined",
	 "#define half float\nextern \"C\" void solve(half *x, int n) {}",
	 {"t.cu:2: parameter 1 'x': 'half' is a macro of line 1"}},
	{"typedef that says otherwise",
	 "typedef double half;\nextern \"C\" void solve(half *x, int n) {}",
	 {"t.cu:2: parameter 1 'x': 'half' is a typedef of line 1"}},
	{"unknown type",
	 "extern \"C\" void solve(const floot *x, int n) {}",
	 {"t.cu:1: parameter 1 'x': unknown type 'floot'"}},
	{"struct",
	 "struct Args { int a; };\nextern \"C\" void solve(float *x, Args a) {}",
	 {"t.cu:2: parameter 2 'a': 'Args' is a struct, class or enum of line 1"}},
	{"struct by tag",
	 "extern \"C\" void solve(float *x, struct Args *a) {}",
	 {"t.cu:1: parameter 2 'a': 'struct Args'"}},
	{"template type",
	 "extern \"C\" void solve(std::vector<float> &v, int n) {}",
	 {"t.cu:1: parameter 1 'v'", "is a template"}},
	{"pointer to pointer",
	 "extern \"C\" void solve(float **x, int n) {}",
	 {"t.cu:1: parameter 1 'x': a pointer to a pointer"}},
	{"reference to pointer",
	 "extern \"C\" void solve(float *&x, int n) {}",
	 {"parameter 1 'x': a reference to a pointer"}},
	{"rvalue reference",
	 "extern \"C\" void solve(float *x, int &&n) {}",
	 {"t.cu:1: parameter 2 'n': an rvalue reference"}},
	{"function pointer",
	 "extern \"C\" void solve(float *x,\n void (*f)(int)) {}",
	 {"t.cu:2: parameter 2", "pointer to a function"}},
	{"variable arguments",
	 "extern \"C\" void solve(float *x, ...) {}",
	 {"t.cu:1: parameter 2", "variable arguments"}},
	{"no name",
	 "extern \"C\" void solve(const float *, float *y) {}",
	 {"t.cu:1: parameter 1: 'const float *' has no name"}},
	{"no type", "extern \"C\" void solve(float *y, n) {}", {"t.cu:1: parameter 2: unknown type 'n'"}},
	{"empty parameter",
	 "extern \"C\" void solve(float *y, , int n) {}",
	 {"t.cu:1: parameter 2: nothing stands between"}},
	{"two of one name",
	 "extern \"C\" void solve(float *y,\n int y) {}",
	 {"t.cu:2: parameter 2 'y': parameter 1 has that name"}},
	{"long double",
	 "extern \"C\" void solve(float *y, long double a) {}",
	 {"parameter 2 'a': 'long double' is no element type"}},
	{"unsigned float",
	 "extern \"C\" void solve(unsigned float *y) {}",
	 {"parameter 1 'y': 'unsigned float *' is no element"}},
	{"void by value", "extern \"C\" void solve(float *y, void v) {}", {"parameter 2 'v': 'void' is no value"}},
	{"stream",
	 "extern \"C\" void solve(float *y, cudaStream_t s) {}",
	 {"parameter 2 's': 'cudaStream_t'", "default stream"}},
	{"vector type", "extern \"C\" void solve(float4 *y, int n) {}", {"parameter 1 'y': vector type 'float4'"}},
	{"_Float16 by value",
	 "extern \"C\" void solve(float *y, _Float16 a) {}",
	 {"parameter 2 'a': '_Float16' by value"}},
	{"no parameters", "extern \"C\" void solve() {}", {"t.cu:1: 'solve' takes no parameters"}},
	{"only declared", "extern \"C\" void solve(float *y, int n);", {"t.cu:1: 'solve' is only declared"}},
	{"static", "static void solve(float *y, int n) {}", {"t.cu:1: 'solve' is static"}},
	{"a kernel itself",
	 "extern \"C\" __global__ void solve(float *y, int n) {}",
	 {"t.cu:1: 'solve' is a __global__ kernel"}},
	{"template entry", "template <typename T>\nvoid solve(T *y, int n) {}", {"t.cu:2: 'solve' is a template"}},
	{"in a namespace", "namespace a { void solve(float *y, int n) {} }", {"t.cu:1: 'solve' is inside a namespace"}},
	{"returns float", "extern \"C\" float solve(float *y, int n) {}", {"t.cu:1: 'solve' must return void"}},
	{"two definitions",
	 "extern \"C\" void solve(float *y) {}\nextern \"C\" void solve(double *y) {}",
	 {"t.cu:2: 'solve' is defined a second time (first in line 1)"}},
	{"several extern C",
	 "extern \"C\" void a(float *y) {}\nextern \"C\" void b(float *y) {}",
	 {"a (line 1), b (line 2)", "\"entry\""}},
	{"comment without end",
	 "extern \"C\" void solve(float *y) {}\n/* oops",
	 {"t.cu:2: the comment that starts here"}},
	{"string without end", "\nconst char *s = \"oops;\n", {"t.cu:2: the string that starts here"}},
	{"raw string without end", "const char *s = R\"(oops;\n", {"t.cu:1: the raw string that starts here"}},
	{"brace without end",
	 "\nextern \"C\" void solve(float *y) {\n if (y) {\n}",
	 {"t.cu:2: the { of this line has no }"}},
	{"#if without end",
	 "#ifdef A\nextern \"C\" void solve(float *y) {}\n",
	 {"t.cu:1: the #if of this line has no #endif"}},
	{"#endif without #if", "int a;\n#endif\n", {"t.cu:2: this #endif has no #if"}},
	{"old-style definition", "extern \"C\" void solve(y, n) float *y; int n; {}", {"t.cu:1:"}},
};

struct fixture {
	struct arena a;
	struct err e;
	struct source source;
	struct signature sig;
	char *copy; /* of the text, without a NUL behind it, so that a sanitizer sees a read past the end */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	arena_init(&f->a);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	arena_release(&f->a);
	free(f->copy);
	free(f);
	return 0;
}

static bool read(struct fixture *f, const char *text, const char *wanted, bool is_c)
{
	memset(&f->e, 0, sizeof(f->e));
	free(f->copy);
	f->copy = malloc(strlen(text));
	memcpy(f->copy, text, strlen(text));
	return source_read(&f->source, &f->a, "t.cu", (struct str){f->copy, strlen(text)}, &f->e) &&
	       signature_read(&f->sig, &f->a, &f->source, wanted, is_c, &f->e);
}

static const char *describe(struct fixture *f)
{
	struct operator op = {.params = f->sig.params, .n_params = f->sig.n_params};
	struct buf b;
	buf_init(&b);
	guess_roles(&op, &f->a, NULL);
	buf_printf(&b, "%.*s %s%s:", STR_ARG(f->sig.entry), f->sig.linkage == LINKAGE_C ? "C" : "C++",
		   f->sig.returns_int ? " int" : "");
	for (size_t i = 0; i < op.n_params; i++) {
		const struct param *p = &op.params[i];
		unsigned flags = p->flags & (PARAM_POINTER | PARAM_CONST | PARAM_REFERENCE | PARAM_UNTYPED);
		buf_printf(&b, "%s %.*s %s ", i ? "," : "", STR_ARG(p->name),
			   p->flags & PARAM_UNTYPED ? "?" : dtype_name(p->dtype));
		buf_printf(&b, "%s%s%s%s%s %s", flags ? "" : "-", flags & PARAM_POINTER ? "p" : "",
			   flags & PARAM_CONST ? "c" : "", flags & PARAM_REFERENCE ? "r" : "",
			   flags & PARAM_UNTYPED ? "u" : "", param_role_name(p->role));
		if (p->value_text.n)
			buf_printf(&b, "=%.*s", STR_ARG(p->value_text));
	}
	const char *s = arena_strndup(&f->a, b.p, b.n);
	buf_release(&b);
	return s;
}

static void forms_parse(void **state)
{
	struct fixture *f = *state;
	assert_true(COUNT_OF(forms) >= 30);
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		bool is_c = strcmp(forms[i].what, "C restrict") == 0;
		if (!read(f, forms[i].text, NULL, is_c))
			fail_msg("%s: refused: %s", forms[i].what, f->e.text);
		if (strcmp(describe(f), forms[i].expected) != 0)
			fail_msg("%s: is\n%s\nexpected\n%s", forms[i].what, describe(f), forms[i].expected);
	}
}

static void broken_forms_are_refused(void **state)
{
	struct fixture *f = *state;
	assert_true(COUNT_OF(broken) >= 12);
	for (size_t i = 0; i < COUNT_OF(broken); i++) {
		if (read(f, broken[i].text, NULL, false))
			fail_msg("%s: parsed to %s", broken[i].what, describe(f));
		assert_int_equal(f->e.code, ERR_INPUT);
		assert_null(strchr(f->e.text, '\n'));
		for (size_t k = 0; k < 3 && broken[i].words[k]; k++) {
			if (!strstr(f->e.text, broken[i].words[k]))
				fail_msg("%s: \"%s\" is not in: %s", broken[i].what, broken[i].words[k], f->e.text);
		}
	}
}

static void lines_are_those_of_the_source(void **state)
{
	struct fixture *f = *state;
	assert_true(read(
		f,
		"/* a\n b */\n#define X \\\n  1\n\nextern \"C\"\nvoid solve(\n  const float *a,\n\n  float *b)\n{}\n",
		NULL, false));
	assert_int_equal(f->sig.line, 7);
	assert_int_equal(f->sig.params[0].line, 8);
	assert_int_equal(f->sig.params[1].line, 10);
	assert_int_equal((unsigned)(uintptr_t)map_get(&f->source.macros, STR("X")), 3);
}

static void types_are_kept_as_written(void **state)
{
	struct fixture *f = *state;
	assert_true(read(
		f, "extern \"C\" void solve(const   float*__restrict__ a, unsigned   long long n, std :: size_t m){}",
		NULL, false));
	assert_string_equal(arena_str(&f->a, f->sig.params[0].type_text).p, "const float *__restrict__");
	assert_string_equal(arena_str(&f->a, f->sig.params[1].type_text).p, "unsigned long long");
	assert_string_equal(arena_str(&f->a, f->sig.params[2].type_text).p, "std::size_t");
}

static void marks_are_found(void **state)
{
	struct fixture *f = *state;
	assert_true(read(f,
			 "#include <cuda_runtime.h>\nnamespace x {\n__global__ void k(float *y) { }\n}\n"
			 "extern \"C\" int setup(int *s) { return 0; }\nextern \"C\" void run_kernel(float *y) {\n"
			 " cutlass::f();\n}\n",
			 NULL, false));
	assert_int_equal(f->source.global_line, 3);
	assert_int_equal(f->source.cutlass_line, 7);
	assert_int_equal(f->sig.setup_line, 5);
	assert_int_equal(f->sig.run_kernel_line, 6);
	assert_non_null(map_find(&f->source.includes, STR("<cuda_runtime.h>")));
}

static void wanted_entry_wins(void **state)
{
	struct fixture *f = *state;
	const char *text = "extern \"C\" void solve(float *y) {}\nextern \"C\" void other(double *z, int n) {}";
	assert_true(read(f, text, "other", false));
	assert_string_equal(describe(f), "other C: z float64 p inout, n int32 - dim");
	assert_false(read(f, text, "third", false));
	assert_non_null(strstr(f->e.text, "no function 'third'"));
}

static void c_needs_no_extern(void **state)
{
	struct fixture *f = *state;
	const char *text = "static void f(int a) { (void)a; }\nvoid softmax(const float *x, float *y, int n) { }\nint "
			   "main(void) { }";
	assert_true(read(f, text, NULL, true));
	assert_string_equal(describe(f), "softmax C: x float32 pc in, y float32 p out, n int32 - dim");
	assert_false(read(f, text, NULL, false));
}

static void too_many_parameters(void **state)
{
	struct fixture *f = *state;
	struct buf b;
	buf_init(&b);
	buf_puts(&b, "extern \"C\" void solve(float *y");
	for (int i = 0; i < OPERATOR_MAX_PARAMS - 1; i++)
		buf_printf(&b, ", int n%d", i);
	buf_puts(&b, ") {}");
	assert_true(read(f, b.p, NULL, false));
	assert_int_equal(f->sig.n_params, OPERATOR_MAX_PARAMS);
	b.n -= 4;
	buf_puts(&b, ", int more) {}");
	assert_false(read(f, b.p, NULL, false));
	assert_non_null(strstr(f->e.text, "more than 64 parameters"));
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(forms_parse, setup, teardown),
		cmocka_unit_test_setup_teardown(broken_forms_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(lines_are_those_of_the_source, setup, teardown),
		cmocka_unit_test_setup_teardown(types_are_kept_as_written, setup, teardown),
		cmocka_unit_test_setup_teardown(marks_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(wanted_entry_wins, setup, teardown),
		cmocka_unit_test_setup_teardown(c_needs_no_extern, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_parameters, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
