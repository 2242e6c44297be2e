/* Fuzzes base/expr: parses, visits the names, evaluates.
 * In: bytes. Out: a crash or nothing.
 * Names that begin with a lower-case letter are numbers, T and F truth values, others unknown.
 * Never: keeps memory between inputs. */
#include "base/expr.h"

static bool lookup(void *ctx, struct str name, struct expr_value *out)
{
	++*(size_t *)ctx;
	out->type = name.p[0] == 'T' || name.p[0] == 'F' ? EXPR_BOOL : name.n % 2 ? EXPR_INT : EXPR_REAL;
	out->boolean = name.p[0] == 'T';
	out->i = (int64_t)(str_hash(name) >> (name.n % 64));
	out->real = (double)out->i * 0.5;
	return name.p[0] >= 'a' || out->type == EXPR_BOOL;
}

static void count(void *ctx, struct str name)
{
	*(size_t *)ctx += name.n > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct expr_value v;
	struct err e = {0};
	size_t n_names = 0, n_asked = 0;
	arena_init(&a);
	struct expr *x = expr_parse(&a, (struct str){(const char *)p, n}, &e);
	if (x) {
		expr_names(x, count, &n_names);
		if (!expr_eval(x, lookup, &n_asked, &v, &e) && e.code != ERR_INPUT)
			BUG("failed without an error");
		if (n_asked > n_names)
			BUG("asked for more names than there are");
	}
	arena_release(&a);
	return 0;
}
