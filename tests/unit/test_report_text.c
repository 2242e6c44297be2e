/* Unit tests of report/: the texts of the preflight and of the prerequisites, from the stored documents of each format.
 * In: tests/data/formats.
 * Out: cmocka's report.
 * Never: looks at this machine. */
#include "report/preflight_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "collect/preflight.h"
#include "report/check_text.h"

typedef void text_function(const struct json *, const struct term *, struct arena *, struct buf *);

static struct str text_of(struct arena *a, const char *path, text_function *f, size_t width)
{
	struct err e;
	struct buf out;
	struct term term = {width, false};
	struct json *j = json_read_file(a, path, JSON_STRICT, &e);
	assert_non_null(j);
	buf_init(&out);
	f(j, &term, a, &out);
	struct str text = arena_str(a, buf_view(&out));
	buf_release(&out);
	return text;
}

static void expect_width(struct str text, size_t width)
{
	struct str line;
	while (str_split(&text, '\n', &line))
		assert_true(term_columns(line) <= width);
}

static void expect_lines(struct str text, const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strstr(text.p, lines[i]))
			fail_msg("missing: %s in:\n%s", lines[i], text.p);
	}
}

static void preflight(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"driver     580.159.04, CUDA 13.0, MPS at /tmp/nvidia-mps\n",
		"gpu 0      NVIDIA H200, compute capability 9.0, 140 GiB, MIG off\n"
		"           GPU-00000000-1111-2222-3333-444444444444\n"
		"gpu 1      NVIDIA H200, compute capability 9.0, 140 GiB, MIG on, compute mode\n"
		"           exclusive_process\n"
		"           GPU-55555555-6666-7777-8888-999999999999\n"
		"           MIG instance MIG-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee\n",
		"counters   the driver lets only administrators read counters\n"
		"           A change of the host, for its administrator to decide.\n",
		"\nnvcc               13.0.88       /usr/local/cuda/bin/nvcc\n",
		"\nnsys               broken        /usr/bin/nsys\n",
		"\nnsys               /usr/bin/nsys --version: exit 3\n                   Without it there is no "
		"timeline",
		"\ncutlass            Without its headers",
		"\nmissing    the driver lets only administrators read counters\n",
	};
	struct arena a;
	arena_init(&a);
	struct str text = text_of(&a, "tests/data/formats/preflight-v1.json", preflight_text, 80);
	expect_lines(text, lines, COUNT_OF(lines));
	expect_width(text, 80);
	assert_null(strstr(text.p, "\nready"));
	arena_release(&a);
}

static void markdown(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"# Preflight\n\nNot ready at 2026-",
		"\n| counters | not_met | the driver lets only administrators read counters |\n",
		"\n| 1 | NVIDIA H200 | 9.0 | 140 GiB | GPU-55555555-6666-7777-8888-999999999999 | on | "
		"exclusive_process |\n",
		"\n| nsys | broken | - | /usr/bin/nsys | Without it there is no timeline of a whole workload. |\n",
	};
	struct arena a;
	struct err e;
	struct buf out;
	arena_init(&a);
	buf_init(&out);
	struct json *j = json_read_file(&a, "tests/data/formats/preflight-v1.json", JSON_STRICT, &e);
	assert_non_null(j);
	preflight_markdown(&out, j);
	expect_lines(buf_view(&out), lines, COUNT_OF(lines));
	buf_release(&out);
	arena_release(&a);
}

static void prerequisites(void **state)
{
	(void)state;
	static const char expected[] =
		"k.py, backend torch, data: setup\n"
		"not met     implementation        'run_kernel' calls 'add_Tensor', which this\n"
		"                                  file neither defines nor imports\n"
		"              line 5: return add_Tensor(x, x, alpha=1.0, out=torch.empty_like...\n"
		"-           overloads             no list of overloads: \"overloads\" of an\n"
		"                                  operator file would name them\n"
		"-           kernel                backend torch: no Triton in this file\n"
		"              line 1: import torch\n"
		"met         benchmark_interface   entry 'run_kernel', setup in line 2\n"
		"              line 4: def run_kernel(x):\n"
		"met         data                  setup() of this file supplies the data\n"
		"              line 2: def setup(N=4, seed=None):\n"
		"met         parses                the text is understood\n"
		"by running  compiles_and_runs     build and first run of v0 decide\n"
		"-           correct               no reference: nothing will claim that the\n"
		"                                  result is right\n"
		"implementation: Get a complete implementation first, from the flow that\n"
		"  generates it; it is not completed here.\n";
	struct arena a;
	arena_init(&a);
	struct str text = text_of(&a, "tests/data/formats/check-v1.json", check_text, 80);
	assert_string_equal(text.p, expected);
	expect_width(text_of(&a, "tests/data/formats/check-v1.json", check_text, 60), 60);
	arena_release(&a);
}

static void empty_documents(void **state)
{
	(void)state;
	struct arena a;
	struct buf out;
	struct term term = {80, false};
	arena_init(&a);
	buf_init(&out);
	preflight_text(json_object(&a), &term, &a, &out);
	check_text(json_object(&a), &term, &a, &out);
	assert_non_null(strstr(out.p, "driver     none: unknown\n"));
	assert_non_null(strstr(out.p, "?, backend ?\n"));
	buf_release(&out);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preflight),
		cmocka_unit_test(markdown),
		cmocka_unit_test(prerequisites),
		cmocka_unit_test(empty_documents),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
