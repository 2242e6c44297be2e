/* The operator as one struct.
 * In: paths and options. Out: everything that later rooms need to build, fill, call and check.
 * The names of backends, roles and sources stand here.
 * Never: executes anything. */
#include "operator/operator.h"

#include <string.h>

#include "operator/guess.h"
#include "operator/scan.h"
#include "operator/sizes.h"

static const char *const backend_names[BACKEND_COUNT] = {"c", "cuda", "cutlass", "triton", "torch"};
static const char *const role_names[PARAM_ROLES] = {"in", "out", "inout", "dim", "scalar"};

const char *backend_name(enum backend b)
{
	return b < BACKEND_COUNT ? backend_names[b] : "?";
}

bool backend_from_name(struct str name, enum backend *out)
{
	for (enum backend b = BACKEND_C; b < BACKEND_COUNT; b++) {
		if (str_is(name, backend_names[b])) {
			*out = b;
			return true;
		}
	}
	return false;
}

bool backend_is_python(enum backend b)
{
	return b == BACKEND_TRITON || b == BACKEND_TORCH;
}

enum backend operator_device(const struct operator* op)
{
	return op->is_host ? BACKEND_C : op->backend;
}

const char *param_role_name(enum param_role r)
{
	return r < PARAM_ROLES ? role_names[r] : "?";
}

const char *operator_data_name(enum operator_data d)
{
	return d == DATA_SETUP ? "setup" : d == DATA_FILE ? "operator_file" : "guessed_sizes";
}

const char *reference_kind_name(enum reference_kind k)
{
	static const char *const names[] = {"none", "py", "c", "cpp", "cu"};
	return k < COUNT_OF(names) ? names[k] : "?";
}

struct param *operator_param(const struct operator* op, struct str name)
{
	for (size_t i = 0; i < op->n_params; i++) {
		if (str_eq(op->params[i].name, name))
			return &op->params[i];
	}
	return NULL;
}

bool param_is_tensor(const struct param *p)
{
	return p->role == PARAM_IN || p->role == PARAM_OUT || p->role == PARAM_INOUT;
}

bool param_is_output(const struct param *p)
{
	return p->role == PARAM_OUT || p->role == PARAM_INOUT;
}

bool operator_read(struct operator* out, struct arena *a, const struct operator_input *in, struct err *e)
{
	struct scan_result *scan = ARENA_NEW(a, struct scan_result);
	memset(out, 0, sizeof(*out));
	if (!scan_operator(scan, a, in, e))
		return false;
	*out = scan->op;
	const struct opfile *f = scan->file.path ? &scan->file : NULL;
	if (out->reference.path && strcmp(out->reference.sha256, out->kernel.sha256) == 0)
		operator_note(out, a, "the reference is the kernel's own text: agreement says nothing");
	return sizes_resolve(out, a, f, in, &scan->defaults, e);
}

void operator_signature_digest(const struct operator* op, char out[SHA256_HEX])
{
	struct sha256 h;
	sha256_init(&h);
	sha256_str(&h, op->entry);
	for (size_t i = 0; i < op->n_params; i++) {
		const struct param *p = &op->params[i];
		unsigned kept = p->flags & (PARAM_POINTER | PARAM_REFERENCE | PARAM_UNTYPED | PARAM_RETURNED);
		char bits[2] = {(char)('0' + (kept & 15)), kept & PARAM_RETURNED ? 'r' : '-'};
		sha256_str(&h, p->name);
		sha256_str(&h, str_from(p->flags & PARAM_UNTYPED ? "" : dtype_name(p->dtype)));
		sha256_str(&h, str_from(param_role_name(p->role)));
		sha256_str(&h, (struct str){bits, sizeof(bits)});
	}
	sha256_hex(&h, out);
}
