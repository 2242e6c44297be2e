/* The candidate's entry point.
 * In: path, symbol, parameter kinds. Out: calls with addresses and scalars in the platform's calling convention.
 * libffi knows the conventions of x86-64 and arm64; half-precision scalars travel as structures of their bytes.
 * Never: looks at the source; the parent has read it. */
#include "probe/entry.h"

#include <dlfcn.h>
#include <ffi.h>

#include "base/dtype.h"

struct entry {
	void *library;
	void (*function)(void);
	ffi_cif cif;
	ffi_type *types[ENTRY_MAX_ARGS];
	struct wire_arg args[ENTRY_MAX_ARGS];
	size_t n_args, n_tensors;
	uint64_t bits[ENTRY_MAX_ARGS];
	void *addresses[ENTRY_MAX_ARGS]; /* what pointer arguments point to in the current call */
	void *values[ENTRY_MAX_ARGS];    /* for libffi: where each argument's value stands */
};

/* half and bfloat16 by value are classes of one 16-bit member in CUDA's headers: integer class in the ABI. */
static ffi_type *two_bytes[] = {&ffi_type_uint16, NULL};
static ffi_type *one_byte[] = {&ffi_type_uint8, NULL};
static ffi_type struct_two = {.size = 0, .alignment = 0, .type = FFI_TYPE_STRUCT, .elements = two_bytes};
static ffi_type struct_one = {.size = 0, .alignment = 0, .type = FFI_TYPE_STRUCT, .elements = one_byte};

static ffi_type *scalar_type(enum dtype t)
{
	static ffi_type *const types[DTYPE_COUNT] = {
		[DTYPE_F64] = &ffi_type_double, [DTYPE_F32] = &ffi_type_float,  [DTYPE_F16] = &struct_two,
		[DTYPE_BF16] = &struct_two,     [DTYPE_F8E4M3] = &struct_one,   [DTYPE_F8E5M2] = &struct_one,
		[DTYPE_I8] = &ffi_type_sint8,   [DTYPE_U8] = &ffi_type_uint8,   [DTYPE_I16] = &ffi_type_sint16,
		[DTYPE_U16] = &ffi_type_uint16, [DTYPE_I32] = &ffi_type_sint32, [DTYPE_U32] = &ffi_type_uint32,
		[DTYPE_I64] = &ffi_type_sint64, [DTYPE_U64] = &ffi_type_uint64, [DTYPE_BOOL] = &ffi_type_uint8,
	};
	return types[t];
}

static bool bind_args(struct entry *x, struct err *e)
{
	for (size_t i = 0; i < x->n_args; i++) {
		const struct wire_arg *arg = &x->args[i];
		bool is_scalar = arg->kind == WIRE_ARG_SCALAR;
		if (arg->dtype >= DTYPE_COUNT || arg->i_tensor >= ENTRY_MAX_ARGS)
			return err_set(e, ERR_PROTOCOL, "parameter %zu has no known type", i + 1);
		x->types[i] = is_scalar ? scalar_type((enum dtype)arg->dtype) : &ffi_type_pointer;
		x->values[i] = is_scalar ? (void *)&x->bits[i] : (void *)&x->addresses[i];
		if (arg->kind == WIRE_ARG_SCALAR_REF)
			x->addresses[i] = &x->bits[i];
		if (arg->kind == WIRE_ARG_TENSOR && arg->i_tensor + 1 > x->n_tensors)
			x->n_tensors = arg->i_tensor + 1;
	}
	if (ffi_prep_cif(&x->cif, FFI_DEFAULT_ABI, (unsigned)x->n_args, &ffi_type_sint, x->types) != FFI_OK)
		return err_set(e, ERR_UNSUPPORTED, "the parameter list cannot be passed on this machine");
	return true;
}

struct entry *entry_open(const char *library, const char *symbol, const struct wire_arg *args, size_t n_args,
			 enum entry_fault *fault, struct err *e)
{
	*fault = ENTRY_LOAD_FAILED;
	if (n_args > ENTRY_MAX_ARGS) {
		err_set(e, ERR_UNSUPPORTED, "%zu parameters, at most %d can be passed", n_args, ENTRY_MAX_ARGS);
		return NULL;
	}
	struct entry *x = calloc(1, sizeof(*x));
	if (!x)
		BUG("out of memory");
	memcpy(x->args, args, n_args * sizeof(*args));
	x->n_args = n_args;
	x->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!x->library) {
		err_set(e, ERR_INPUT, "%s", dlerror());
		goto fail;
	}
	union {
		void *object;
		void (*function)(void);
	} at = {dlsym(x->library, symbol)};
	if (!at.object) {
		*fault = ENTRY_NO_SYMBOL;
		err_set(e, ERR_INPUT, "%s", dlerror());
		goto fail;
	}
	x->function = at.function;
	if (!bind_args(x, e))
		goto fail;
	*fault = ENTRY_FINE;
	return x;
fail:
	free(x);
	return NULL;
}

void entry_set_scalars(struct entry *x, const uint64_t *bits, size_t n)
{
	memcpy(x->bits, bits, (n < x->n_args ? n : x->n_args) * sizeof(*bits));
}

size_t entry_n_tensors(const struct entry *x)
{
	return x->n_tensors;
}

int entry_call(struct entry *x, void *const *addresses)
{
	for (size_t i = 0; i < x->n_args; i++) {
		if (x->args[i].kind == WIRE_ARG_TENSOR)
			x->addresses[i] = addresses[x->args[i].i_tensor];
	}
	ffi_arg result = 0;
	ffi_call(&x->cif, x->function, &result, x->values);
	return (int)result;
}
