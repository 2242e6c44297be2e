/* What is measured, as read from text: entry, parameters with role, type and shape, cases with resolved sizes, reference.
 * operator_read executes nothing. All pointers live in the arena that was given. */
#ifndef ASSAY_OPERATOR_OPERATOR_H
#define ASSAY_OPERATOR_OPERATOR_H

#include "base/dims.h"
#include "base/dtype.h"
#include "base/json.h"
#include "base/sha256.h"

#define OPERATOR_MAX_RANK 8
#define OPERATOR_MAX_PARAMS 64
#define OPERATOR_MAX_CASES 64
#define OPERATOR_MAX_BYTES (INT64_C(1) << 40) /* of one tensor; larger is refused */
#define OPERATOR_MAX_SOURCE (16u << 20)       /* bytes of a kernel or operator file */
enum backend { BACKEND_C, BACKEND_CUDA, BACKEND_CUTLASS, BACKEND_TRITON, BACKEND_TORCH, BACKEND_COUNT };
const char *backend_name(enum backend b); /* "c", "cuda", ... */
bool backend_from_name(struct str name, enum backend *out);
bool backend_is_python(enum backend b);

enum param_role { PARAM_IN, PARAM_OUT, PARAM_INOUT, PARAM_DIM, PARAM_SCALAR, PARAM_ROLES };
const char *param_role_name(enum param_role r); /* "in", "out", "inout", "dim", "scalar" */

enum param_flags {
	PARAM_POINTER = 1,       /* passed as the address of a tensor (also .py tensors) */
	PARAM_CONST = 2,         /* the pointee (or the value) is const */
	PARAM_REFERENCE = 4,     /* C++ reference: the ABI passes the address of a host value */
	PARAM_UNTYPED = 8,       /* no element type is known: a .py parameter that setup() fills */
	PARAM_RETURNED = 16,     /* .py: an output that the entry returns; it is no argument */
	PARAM_KEYWORD = 32,      /* .py: keyword-only argument */
	PARAM_ROLE_GUESSED = 64, /* no operator file said so */
	PARAM_SHAPE_GUESSED = 128,
	PARAM_FILL_GUESSED = 256,
	PARAM_VALUE_GUESSED = 512,
	PARAM_EITHER = 1024, /* .py: an output that the entry writes in place or returns, as it likes */
};
enum tolerance_source { TOLERANCE_DEFAULT, TOLERANCE_FILE, TOLERANCE_COMMAND };
struct param {
	struct str name;
	struct str type_text; /* as written, without the name: "const float *__restrict__"; empty: none (.py) */
	enum dtype dtype;     /* of one element, or of the scalar */
	enum param_role role;
	unsigned flags;
	unsigned line;                            /* in the kernel file; 0: only the operator file has it */
	struct str shape_text[OPERATOR_MAX_RANK]; /* expressions; none when the shape is guessed */
	size_t n_dims;
	/* Expressions; empty: none. value: a dim's or scalar's, or the signature's default. lo, hi: the fill's numbers. */
	struct str value_text, lo_text, hi_text;
	enum fill_kind fill_kind;
	/* out, inout: |value - reference| <= atol + rtol * |reference|. Where the source is TOLERANCE_DEFAULT, atol and
	 * rtol of the reference module replace the number. */
	double atol, rtol;
	enum tolerance_source atol_from, rtol_from;
	const struct param_range *range; /* range.h; NULL: nothing is declared */
};
struct op_dim {
	struct str name;
	int64_t value;
};
struct op_arg { /* one parameter of one case */
	int64_t shape[OPERATOR_MAX_RANK];
	size_t n_dims;
	int64_t n_elements; /* tensors: >= 1; 0 for scalars and where setup() decides */
	int64_t bytes;      /* n_elements * dtype_bytes */
	struct fill fill;   /* in, inout; the numbers may depend on the dims */
	uint64_t bits;      /* dim, scalar: its bytes, little endian, the rest zero */
};
enum op_case_flags {
	OP_CASE_COMMAND_LINE = 1, /* sizes came from --NAME=VALUE */
	OP_CASE_HAS_FLOPS = 2,
	OP_CASE_HAS_BYTES = 4,      /* compulsory bytes: each input read once, each output written once */
	OP_CASE_BYTES_SUMMED = 8,   /* not declared: the sum over the tensors (inout twice) */
	OP_CASE_BYTES_GUESSED = 16, /* summed over guessed shapes: no claim may rest on it */
};
struct op_case {
	struct str name;
	struct op_dim *dims; /* every name that expressions may use, and that setup() is called with */
	size_t n_dims;
	struct op_arg *args; /* n_params of the operator, same order */
	uint64_t seed;       /* the run's seed + index of the case */
	double flops, bytes; /* per call */
	unsigned flags;
};

enum operator_form {
	OPERATOR_NATIVE,      /* .c .cu: a function called with the parameters */
	OPERATOR_PY_SETUP,    /* .py: setup(**dims) and run_kernel(**inputs) */
	OPERATOR_PY_FUNCTION, /* .py: solve(...), solution(...) or run_kernel(...) called with our tensors */
};
enum operator_linkage { LINKAGE_C, LINKAGE_CXX, LINKAGE_PYTHON }; /* CXX: the symbol is _Z<length><entry>... */
enum operator_data { DATA_SETUP, DATA_FILE, DATA_GUESSED };       /* who supplies the bytes (RULES R1.5) */
const char *operator_data_name(enum operator_data d);             /* "setup", "operator_file", "guessed_sizes" */
enum reference_kind { REFERENCE_NONE, REFERENCE_PY, REFERENCE_C, REFERENCE_CPP, REFERENCE_CU };
const char *reference_kind_name(enum reference_kind k); /* "none", "py", ... */

struct operator_file {           /* an input file and its digest; path NULL: there is none */
	const char *path, *name; /* absolute; as given, for messages */
	char sha256[SHA256_HEX];
};
struct operator
{
	struct operator_file kernel, op_file, reference;
	const char *stem; /* of the kernel file */
	enum backend backend;
	enum operator_form form;
	struct str entry;                                 /* as in the source */
	unsigned entry_line, setup_line, run_kernel_line; /* 0: not in the file (.cu: extern "C"; .py: def) */
	bool entry_returns_int, is_host; /* native: 0 is success; .py: imports neither torch nor Triton */
	enum operator_linkage linkage;
	enum operator_data data;
	enum reference_kind reference_kind;
	struct param *params; /* in the order of the signature; returned outputs of a .py last */
	size_t n_params;
	struct op_case *cases; /* the first is the one that is timed: the command line's, else the default */
	size_t n_cases;
	struct str flops_text, bytes_text; /* expressions, empty: none */
	uint64_t seed;
	int64_t ptr_size;                  /* elements of every guessed tensor; 0: not given */
	const struct sizes_source *source; /* sizes.h: what other sizes are resolved from */
	const char **notes;                /* what was guessed or looked up, one sentence each */
	size_t n_notes;
};
enum backend operator_device(const struct operator* op); /* BACKEND_C: runs on the CPU only; else as `backend` */

enum operator_input_flags { OPERATOR_HAS_ATOL = 1, OPERATOR_HAS_RTOL = 2, OPERATOR_NO_SEARCH = 4, OPERATOR_SETUP = 8 };
enum { OPERATOR_ANY_SIZE = 16 }; /* a flag too: sizes that are not given are 1, nothing will be run */
struct operator_input {
	const char *path;
	const char *op_file; /* NULL: <stem>.op.json beside the kernel, if there is one (stem also without its _v<N>) */
	const char *ref;     /* NULL: the operator file's, else <stem>_ref.{py,c,cpp,cu} beside the kernel */
	const char *backend; /* NULL: by RULES R1.2 */
	const char *entry;   /* NULL: the operator file's, else by name */
	const struct opt_dims *dims;
	int64_t ptr_size; /* 0: none */
	uint64_t seed;
	double atol, rtol;
	unsigned flags; /* NO_SEARCH: only what is named is used. SETUP: another module supplies the data */
};

/* ERR_INPUT: "file:line: parameter 3 'x': ...", a file that is absent. ERR_USAGE: dims, backend, options. */
MUST_USE bool operator_read(struct operator* out, struct arena *a, const struct operator_input *in, struct err *e);

struct param *operator_param(const struct operator* op, struct str name); /* NULL when absent */
bool param_is_tensor(const struct param *p);
bool param_is_output(const struct param *p); /* out or inout */
/* Digest of entry and parameter list (names, types, roles): part of the scope of strategy memory (RULES R1.10). */
void operator_signature_digest(const struct operator* op, char out[SHA256_HEX]);
struct json *operator_json(struct arena *a, const struct operator* op); /* the operator as records carry it */

#endif
