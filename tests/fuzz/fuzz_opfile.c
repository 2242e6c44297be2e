/* Any bytes as an operator file over two signatures, up to resolved cases: never crashes, every size is checked. */
#include <stdlib.h>
#include <string.h>

#include "operator/guess.h"
#include "operator/opfile.h"
#include "operator/sizes.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void check_cases(const struct operator* op)
{
	for (size_t i = 0; i < op->n_cases; i++) {
		for (size_t k = 0; k < op->n_params; k++) {
			const struct op_arg *arg = &op->cases[i].args[k];
			bool is_tensor = param_is_tensor(&op->params[k]);
			if (is_tensor && (arg->n_elements < 1 || arg->bytes > OPERATOR_MAX_BYTES))
				BUG("a size that is out of bounds");
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct opfile f;
	struct err e = {0};
	arena_init(&a);
	char *copy = malloc(n ? n : 1);
	memcpy(copy, p, n);
	if (opfile_read(&f, &a, "f", (struct str){copy, n}, &e)) {
		struct param params[] = {{.name = STR("x"), .dtype = DTYPE_F32, .flags = PARAM_POINTER | PARAM_CONST},
					 {.name = STR("y"), .dtype = DTYPE_U16, .flags = PARAM_POINTER},
					 {.name = STR("n"), .dtype = DTYPE_I32}};
		struct operator op = {.entry = STR("solve"),
				      .kernel = {.name = "k.cu", .path = "/k.cu"},
				      .params = params,
				      .n_params = COUNT_OF(params),
				      .data = DATA_FILE,
				      .flops_text = f.flops_text,
				      .bytes_text = f.bytes_text};
		struct operator_input in = {.path = "k.cu", .seed = 1};
		e.code = ERR_NONE;
		bool ok = opfile_apply(&f, &op, &a, false, &e);
		if (ok)
			guess_tolerances(&op, &in);
		ok = ok && sizes_resolve(&op, &a, &f, &in, NULL, &e);
		if (ok)
			check_cases(&op);
		else if (e.code == ERR_NONE)
			BUG("refused without a reason");
	} else if (e.code == ERR_NONE) {
		BUG("refused without a reason");
	}
	free(copy);
	arena_release(&a);
	return 0;
}
