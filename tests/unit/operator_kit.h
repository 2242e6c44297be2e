/* Files in a temporary folder for the tests of operator/. */
#ifndef ASSAY_TESTS_OPERATOR_KIT_H
#define ASSAY_TESTS_OPERATOR_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "operator/operator.h"

struct kit {
	struct arena a;
	struct err e;
	char dir[64];
	struct operator op;
	struct operator_input in; /* cleared before each test */
	struct opt_dim dim_items[8];
	struct opt_dims dims;
};

static inline int kit_setup(void **state)
{
	struct kit *k = calloc(1, sizeof *k);
	arena_init(&k->a);
	snprintf(k->dir, sizeof k->dir, "/tmp/assay_operator_XXXXXX");
	if (!mkdtemp(k->dir))
		return -1;
	k->dims.items = k->dim_items;
	k->in.dims = &k->dims;
	k->in.seed = 42;
	*state = k;
	return 0;
}

static inline int kit_teardown(void **state)
{
	struct kit *k = *state;
	bool ok = file_remove_tree(k->dir, &k->e);
	arena_release(&k->a);
	free(k);
	return ok ? 0 : -1;
}

static inline const char *kit_file(struct kit *k, const char *name, const char *text)
{
	const char *path = path_join(&k->a, k->dir, name);
	if (!file_write(path, text, strlen(text), &k->e))
		fail_msg("%s", k->e.text);
	return path;
}

static inline void kit_dim(struct kit *k, const char *name, int64_t value)
{
	assert_true(k->dims.n < COUNT_OF(k->dim_items));
	k->dims.items[k->dims.n++] = (struct opt_dim){name, value};
}

/* Reads the operator; fails the test when it is refused. */
static inline void kit_reads(struct kit *k)
{
	if (!operator_read(&k->op, &k->a, &k->in, &k->e))
		fail_msg("refused: %s", k->e.text);
}

/* Must be refused with these words, in one line. */
static inline void kit_refuses(struct kit *k, const char *words)
{
	memset(&k->e, 0, sizeof k->e);
	if (operator_read(&k->op, &k->a, &k->in, &k->e))
		fail_msg("not refused; expected: %s", words);
	if (!strstr(k->e.text, words))
		fail_msg("\"%s\" is not in: %s", words, k->e.text);
	assert_null(strchr(k->e.text, '\n'));
	assert_true(k->e.code == ERR_INPUT || k->e.code == ERR_USAGE);
}

static inline bool kit_has_note(const struct kit *k, const char *words)
{
	for (size_t i = 0; i < k->op.n_notes; i++) {
		if (strstr(k->op.notes[i], words))
			return true;
	}
	return false;
}

#endif
