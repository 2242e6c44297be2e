/* Redaction of texts.
 * In: texts with and without something to hide. Out: pass or fail.
 * Each row is a text and what is left of it.
 * Never: a real name, host or token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "read/redact.h"

static const struct {
	const char *text, *left;
} rows[] = {
	{"", ""},
	{"gemm", "gemm"},
	{"/home/alice/work/model.py(12): forward", "[path]/model.py(12): forward"},
	{"torch/nn/modules/module.py(1501): _call_impl", "torch/nn/modules/module.py(1501): _call_impl"},
	{"f16/f32 and a/b", "f16/f32 and a/b"},
	{"/one", "/one"},
	{"~/secret/x.cu", "[path]/x.cu"},
	{"C:\\Users\\alice\\a.py", "[path]/a.py"},
	{"\\\\server\\share\\a", "[path]/a"},
	{"--input=/data/set1/train.bin --n 3", "--input=[path]/train.bin --n 3"},
	{"/scratch/alice", "[path]/[redacted]"},
	{"user alice on node17, not alicex", "user [redacted] on [redacted], not alicex"},
	{"at::native::(anonymous namespace)::softmax<float, 4>(float*)",
	 "at::native::(anonymous namespace)::softmax<float, 4>(float*)"},
	{"peer 10.0.12.7:29500", "peer [redacted]:29500"},
	{"version 12.4.127, cuda 13.0.1.2.3", "version 12.4.127, cuda 13.0.1.2.3"},
	{"mail bob.smith@example.org now", "mail [redacted] now"},
	{"lr@0.1", "lr@0.1"},
	{"02:42:ac:11:00:02", "[redacted]"},
	{"GPU-01234567-89ab-cdef-0123-456789abcdef", "[redacted]"},
	{"HF_TOKEN=abcdef B=1", "HF_TOKEN=[redacted] B=1"},
	{"Authorization: Bearer abc.def", "Authorization: [redacted]"},
	{"hf_0123456789abcdefXYZ", "[redacted]"},
	{"hf_model", "hf_model"},
	{"tokenizer::Token::password::f", "tokenizer::Token::password::f"},
};

static void test_rows(void **state)
{
	static const char *const words[] = {"alice", "node17"};
	struct redact r = {.words = words, .n_words = 2};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct buf out;
		buf_init(&out);
		buf_puts(&out, "");
		bool changed = redact_text(&r, &out, str_from(rows[i].text));
		assert_string_equal(out.p, rows[i].left);
		assert_int_equal(changed, !str_is(str_from(rows[i].text), rows[i].left));
		buf_release(&out);
	}
	assert_int_equal(r.n_paths, 6);
	assert_int_equal(r.n_names, 3);
	assert_int_equal(r.n_addresses, 4);
	assert_int_equal(r.n_secrets, 3);
}

static void test_keys(void **state)
{
	(void)state;
	assert_true(redact_key(STR("env")) && redact_key(STR("HF_TOKEN")) && redact_key(STR("host_name")));
	assert_true(redact_key(STR("aws_secret_access_key")) && redact_key(STR("User")));
	assert_false(redact_key(STR("name")) || redact_key(STR("kernel")) || redact_key(STR("grid")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_keys)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
