/* Any bytes as kernel text (C and Python): never crashes, never reads outside, refuses in one line. */
#include <stdlib.h>
#include <string.h>

#include "operator/python.h"
#include "operator/signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct source source;
	struct signature sig;
	struct python_source python;
	struct err e = {0};
	arena_init(&a);
	char *copy = malloc(n ? n : 1); /* with nothing readable behind it */
	memcpy(copy, p, n);
	struct str text = {copy, n};
	for (int is_c = 0; is_c < 2; is_c++) {
		e.code = ERR_NONE;
		bool ok = source_read(&source, &a, "f", text, &e) && signature_read(&sig, &a, &source, NULL, is_c, &e);
		if (ok ? !sig.n_params || !sig.entry.n : e.code == ERR_NONE || strchr(e.text, '\n') != NULL)
			BUG("neither a signature nor a reason");
	}
	e.code = ERR_NONE;
	if (python_read(&python, &a, "f", text, &e)) {
		for (size_t i = 0; i < python.n_functions; i++)
			(void)python_missing(&python, &python.functions[i]);
	} else if (e.code == ERR_NONE || strchr(e.text, '\n')) {
		BUG("refused without a line");
	}
	free(copy);
	arena_release(&a);
	return 0;
}
