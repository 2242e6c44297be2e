/* The scope of strategy memory.
 * In: an operator, a device. Out: a key and what it stands for.
 * The digest is over the meta object in canonical JSON, so that equal scopes have equal keys everywhere.
 * Never: puts a path or a name of a file into the key. */
#include "loop/scope.h"

/* Types of the tensors in the order of the signature, each once. */
static const char *dtypes(struct arena *a, const struct operator* op)
{
	const char *text = "";
	uint64_t seen = 0;
	for (size_t i = 0; i < op->n_params; i++) {
		uint64_t bit = UINT64_C(1) << ((unsigned)op->params[i].dtype & 63);
		bool is_typed = param_is_tensor(&op->params[i]) && !(op->params[i].flags & PARAM_UNTYPED);
		if (!is_typed || (seen & bit))
			continue;
		seen |= bit;
		text = arena_printf(a, "%s%s%s", text, *text ? "+" : "", dtype_name(op->params[i].dtype));
	}
	return text;
}

void scope_make(struct scope *out, struct arena *a, const struct operator* op, const char *sm)
{
	char signature[SHA256_HEX], digest[SHA256_HEX];
	struct buf text;
	struct json *m = json_object(a), *dims = json_set_object(m, "dims");
	operator_signature_digest(op, signature);
	json_set_cstr(m, "backend", backend_name(op->backend));
	json_set_str(m, "entry", op->entry);
	json_set_cstr(m, "signature", signature);
	json_set_cstr(m, "reference_sha256", op->reference.path ? op->reference.sha256 : NULL);
	json_set_cstr(m, "dtype", dtypes(a, op));
	json_set_cstr(m, "sm", sm);
	for (size_t i = 0; op->n_cases && i < op->cases[0].n_dims; i++) {
		const struct op_dim *d = &op->cases[0].dims[i];
		json_put(dims, d->name, json_new_i64(a, d->value));
	}
	buf_init(&text);
	json_write(&text, m, JSON_COMPACT);
	sha256_of(text.p, text.n, digest);
	buf_release(&text);
	out->meta = m;
	out->key = arena_printf(a, "%s__%.*s__%.16s", backend_name(op->backend), STR_ARG(op->entry), digest);
}

const char *scope_sm(struct arena *a, const struct json *device)
{
	struct str cc = json_str(device, "compute_capability", STR("")),
		   name = json_str(device, "name", STR("unknown"));
	size_t dot = str_find_char(cc, '.');
	if (dot != SIZE_MAX)
		return arena_printf(a, "sm_%.*s%.*s", (int)dot, cc.p, (int)(cc.n - dot - 1), cc.p + dot + 1);
	return arena_printf(a, "cpu:%.*s", STR_ARG(name));
}
