/* Reading an operator up to, but not including, its sizes.
 * In: paths and options. Out: backend, entry, parameters with roles, operator file, reference.
 * Files are found beside the kernel by name only where none is given, and a note says so.
 * Never: executes or imports anything. */
#include "operator/scan.h"

#include <string.h>

#include "base/file.h"
#include "operator/guess.h"
#include "operator/signature.h"

struct scanning {
	struct scan_result *out;
	struct operator* op;
	struct arena *arena;
	const struct operator_input *in;
};

static bool choose_backend(struct scanning *s, struct err *e)
{
	const char *ext = path_ext(s->in->path);
	bool is_py = strcmp(ext, ".py") == 0, is_c = strcmp(ext, ".c") == 0;
	struct operator* op = s->op;
	if (!s->in->backend) {
		op->backend = is_py  ? BACKEND_TRITON
			      : is_c ? BACKEND_C
				     : BACKEND_CUDA; /* torch: after the text is read */
		return true;
	}
	if (!backend_from_name(str_from(s->in->backend), &op->backend))
		return err_set(e, ERR_USAGE, "--backend=%s: must be c, cuda, cutlass, triton or torch", s->in->backend);
	bool fits = backend_is_python(op->backend) ? is_py : op->backend == BACKEND_C ? is_c : !is_py && !is_c;
	return fits || err_set(e, ERR_USAGE, "%s: backend %s takes a %s file", s->in->path, s->in->backend,
			       backend_is_python(op->backend) ? ".py"
			       : op->backend == BACKEND_C     ? ".c"
							      : ".cu");
}

static bool read_input(struct scanning *s, struct operator_file *f, const char *path, struct str *text, struct err *e)
{
	f->path = path_absolute(s->arena, path);
	f->name = path;
	if (!file_read(s->arena, text, path, OPERATOR_MAX_SOURCE, e))
		return false;
	sha256_of(text->p, text->n, f->sha256);
	return true;
}

/* The stem without a trailing _v<digits>; NULL: it has none. */
static const char *stem_without_version(struct arena *a, const char *stem)
{
	size_t n = strlen(stem), k = n;
	while (k > 0 && stem[k - 1] >= '0' && stem[k - 1] <= '9')
		k--;
	if (k == n || k < 3 || stem[k - 1] != 'v' || stem[k - 2] != '_')
		return NULL;
	return arena_strndup(a, stem, k - 2);
}

/* A file beside the kernel: <stem><suffix>, then <stem without version><suffix>. NULL: none. */
static const char *find_beside(struct scanning *s, const char *suffix)
{
	const char *dir = path_dir(s->arena, s->in->path);
	const char *stems[2] = {s->op->stem, stem_without_version(s->arena, s->op->stem)};
	for (size_t i = 0; i < 2 && stems[i]; i++) {
		const char *path = path_join(s->arena, dir, arena_printf(s->arena, "%s%s", stems[i], suffix));
		if (file_exists(path) && !file_is_dir(path))
			return path;
	}
	return NULL;
}

static bool read_op_file(struct scanning *s, struct err *e)
{
	const char *path = s->in->op_file;
	if (!path && !(s->in->flags & OPERATOR_NO_SEARCH)) {
		path = find_beside(s, ".op.json");
		if (path)
			operator_note(s->op, s->arena, "operator file found beside the kernel: %s", path_base(path));
	}
	if (!path)
		return true;
	struct str text;
	if (!read_input(s, &s->op->op_file, path, &text, e) || !opfile_read(&s->out->file, s->arena, path, text, e))
		return false;
	s->op->flops_text = s->out->file.flops_text;
	s->op->bytes_text = s->out->file.bytes_text;
	return true;
}

static const char *wanted_entry(const struct scanning *s)
{
	return s->in->entry ? s->in->entry : s->out->file.entry;
}

static bool native_entry(struct scanning *s, struct err *e)
{
	struct operator* op = s->op;
	struct signature sig;
	if (!signature_read(&sig, s->arena, &s->out->source, wanted_entry(s), op->backend == BACKEND_C, e)) {
		s->out->no_entry = sig.no_entry;
		return false;
	}
	op->form = OPERATOR_NATIVE;
	op->entry = sig.entry;
	op->entry_line = sig.line;
	op->entry_returns_int = sig.returns_int;
	op->linkage = sig.linkage;
	op->params = sig.params;
	op->n_params = sig.n_params;
	op->setup_line = op->backend == BACKEND_C ? 0 : sig.setup_line; /* RULES R1.6 is about .cu */
	op->run_kernel_line = sig.run_kernel_line;
	if (op->linkage == LINKAGE_CXX)
		operator_note(op, s->arena, "'%.*s' has C++ linkage: its symbol is found by name in the built file",
			      STR_ARG(op->entry));
	return true;
}

/* Default values of setup() that are whole numbers. */
static bool setup_defaults(struct scanning *s, const struct python_function *f, struct err *e)
{
	struct opt_dims *d = &s->out->defaults;
	d->items = ARENA_ARRAY(s->arena, f->n_params + 1, struct opt_dim);
	for (size_t i = 0; i < f->n_params && d->n < 64; i++) {
		const struct python_param *p = &f->params[i];
		int64_t v;
		if (str_i64(p->default_text, &v) && !str_is(p->name, "seed"))
			d->items[d->n++] = (struct opt_dim){arena_strndup(s->arena, p->name.p, p->name.n), v};
	}
	for (size_t k = 0; s->in->dims && k < s->in->dims->n; k++) {
		struct str name = str_from(s->in->dims->items[k].name);
		bool known = (f->flags & PYTHON_KWARGS) != 0;
		for (size_t i = 0; i < f->n_params; i++)
			known = known || guess_same_name(f->params[i].name, name);
		if (!known)
			return err_set(e, ERR_USAGE, "--%.*s: setup() in %s:%u has no argument of that name",
				       STR_ARG(name), s->op->kernel.name, f->line);
	}
	return true;
}

/* solve, solution, run_kernel; run_kernel first where there is a setup. */
static const struct python_function *choose_python(struct scanning *s, const struct python_function *setup)
{
	static const char *const with_setup[] = {"run_kernel", "solve", "solution"};
	static const char *const without[] = {"solve", "solution", "run_kernel"};
	const struct python_function *f = NULL;
	if (wanted_entry(s))
		return python_function(&s->out->python, wanted_entry(s));
	bool has_setup = setup || (s->in->flags & OPERATOR_SETUP);
	for (size_t i = 0; i < 3 && !f; i++)
		f = python_function(&s->out->python, has_setup ? with_setup[i] : without[i]);
	return f;
}

/* Python text that goes into messages: on one line, or "..." in its place. */
static struct str one_line(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] < ' ')
			return STR("...");
	}
	return s;
}

static bool take_python_params(struct scanning *s, const struct python_function *f, struct err *e)
{
	struct operator* op = s->op;
	if (f->n_params > OPERATOR_MAX_PARAMS)
		return err_set(e, ERR_INPUT, "%s:%u: '%.*s' has more than %d parameters", op->kernel.name, f->line,
			       STR_ARG(f->name), OPERATOR_MAX_PARAMS);
	op->params = ARENA_ARRAY(s->arena, f->n_params + 1, struct param);
	for (size_t i = 0; i < f->n_params; i++) {
		const struct python_param *from = &f->params[i];
		struct param *p = &op->params[op->n_params++];
		p->name = from->name;
		p->type_text = one_line(from->annotation);
		p->line = from->line;
		p->value_text = one_line(from->default_text);
		p->flags = PARAM_UNTYPED | (from->flags & PYTHON_KEYWORD ? (unsigned)PARAM_KEYWORD : 0u);
	}
	return true;
}

static bool python_entry(struct scanning *s, struct err *e)
{
	struct operator* op = s->op;
	const struct python_source *src = &s->out->python;
	const struct python_function *setup = python_function(src, "setup"), *run = python_function(src, "run_kernel");
	op->setup_line = setup ? setup->line : 0;
	op->run_kernel_line = run ? run->line : 0;
	op->linkage = LINKAGE_PYTHON;
	const struct python_function *f = choose_python(s, setup);
	if (!f || (f->flags & (PYTHON_JIT | PYTHON_ASYNC))) {
		s->out->no_entry = true;
		if (f)
			return err_set(e, ERR_INPUT,
				       "%s:%u: '%.*s' is %s; write a plain function of that name that calls it",
				       op->kernel.name, f->line, STR_ARG(f->name),
				       f->flags & PYTHON_JIT ? "a @triton.jit kernel" : "async");
		return err_set(e, ERR_INPUT, "%s: no %s; define setup(**dims) and run_kernel(**inputs), or solve(...)",
			       op->kernel.name, wanted_entry(s) ? wanted_entry(s) : "run_kernel, solve or solution");
	}
	op->entry = f->name;
	op->entry_line = f->line;
	bool is_given = (s->in->flags & OPERATOR_SETUP) != 0;
	op->form = setup || is_given ? OPERATOR_PY_SETUP : OPERATOR_PY_FUNCTION;
	if (setup && !setup_defaults(s, setup, e))
		return false;
	if (!setup && !is_given && str_is(f->name, "run_kernel") && !s->out->file.n_params) {
		s->out->no_entry = true;
		return err_set(e, ERR_INPUT,
			       "%s:%u: run_kernel without setup; define setup(**dims), or give an operator "
			       "file that describes its inputs",
			       op->kernel.name, f->line);
	}
	return take_python_params(s, f, e);
}

static bool assign_roles(struct scanning *s, struct err *e)
{
	struct operator* op = s->op;
	const struct opfile *f = s->out->file.path ? &s->out->file : NULL;
	const struct python_function *entry = NULL;
	bool is_given = op->setup_line || op->form == OPERATOR_PY_SETUP || (s->in->flags & OPERATOR_SETUP);
	op->data = is_given ? DATA_SETUP : f && f->n_params ? DATA_FILE : DATA_GUESSED;
	if (op->form != OPERATOR_NATIVE)
		entry = python_function(&s->out->python, arena_strndup(s->arena, op->entry.p, op->entry.n));
	bool has_kwargs = op->data == DATA_SETUP || (entry && (entry->flags & PYTHON_KWARGS));
	if (op->data == DATA_SETUP && f && f->n_params)
		operator_note(op, s->arena,
			      "setup() supplies the data; of the operator file only tolerances, dims, flops and bytes "
			      "count");
	if (f && f->n_params && op->data == DATA_FILE && !opfile_apply(f, op, s->arena, has_kwargs, e))
		return false;
	if (op->data == DATA_GUESSED)
		guess_roles(op, s->arena, s->in->dims);
	else if (op->data == DATA_SETUP && op->form == OPERATOR_NATIVE) {
		size_t n_notes = op->n_notes;
		guess_roles(op, s->arena, NULL); /* until setup() has run and says better */
		op->n_notes = n_notes;
	}
	for (size_t i = 0; i < op->n_params; i++) {
		struct param *p = &op->params[i];
		if ((p->flags & PARAM_UNTYPED) && op->form == OPERATOR_NATIVE && op->data == DATA_GUESSED)
			return err_set(
				e, ERR_INPUT,
				"%s:%u: parameter %zu '%.*s': %.*s has no element type; give its dtype in an operator "
				"file, or write the type",
				op->kernel.name, p->line, i + 1, STR_ARG(p->name), STR_ARG(p->type_text));
		/* The file's tolerances hold for guessed outputs and for setup()'s, too. */
		const struct opfile_param *d = f ? opfile_param(f, p->name) : NULL;
		unsigned has = (d ? d->has : 0) | (f ? f->has : 0);
		if (op->data != DATA_FILE && (has & OPFILE_ATOL)) {
			p->atol = d && d->has & OPFILE_ATOL ? d->p.atol : f->atol;
			p->atol_from = TOLERANCE_FILE;
		}
		if (op->data != DATA_FILE && (has & OPFILE_RTOL)) {
			p->rtol = d && d->has & OPFILE_RTOL ? d->p.rtol : f->rtol;
			p->rtol_from = TOLERANCE_FILE;
		}
	}
	guess_tolerances(op, s->in);
	return true;
}

static enum reference_kind kind_of(const char *path)
{
	const char *ext = path_ext(path);
	if (strcmp(ext, ".py") == 0)
		return REFERENCE_PY;
	if (strcmp(ext, ".c") == 0)
		return REFERENCE_C;
	if (strcmp(ext, ".cpp") == 0 || strcmp(ext, ".cc") == 0 || strcmp(ext, ".cxx") == 0)
		return REFERENCE_CPP;
	return strcmp(ext, ".cu") == 0 ? REFERENCE_CU : REFERENCE_NONE;
}

static bool find_reference(struct scanning *s, struct err *e)
{
	static const char *const suffixes[] = {"_ref.py", "_ref.c", "_ref.cpp", "_ref.cu"};
	struct operator* op = s->op;
	const char *path = s->in->ref;
	if (!path && s->out->file.reference)
		path = path_join(s->arena, path_dir(s->arena, s->out->file.path), s->out->file.reference);
	for (size_t i = 0; !path && !(s->in->flags & OPERATOR_NO_SEARCH) && i < COUNT_OF(suffixes); i++) {
		path = find_beside(s, suffixes[i]);
		if (path)
			operator_note(op, s->arena, "reference found beside the kernel: %s", path_base(path));
	}
	if (!path)
		return true;
	op->reference_kind = kind_of(path);
	if (op->reference_kind == REFERENCE_NONE)
		return err_set(e, ERR_USAGE, "%s: a reference is a .py, .c, .cpp or .cu file", path);
	struct str text;
	return read_input(s, &op->reference, path, &text, e);
}

static bool check_tolerances(const struct operator_input *in, struct err *e)
{
	bool bad_atol = (in->flags & OPERATOR_HAS_ATOL) && !(in->atol >= 0 && in->atol < 1e300);
	bool bad_rtol = (in->flags & OPERATOR_HAS_RTOL) && !(in->rtol >= 0 && in->rtol < 1e300);
	return (!bad_atol && !bad_rtol) ||
	       err_set(e, ERR_USAGE, "--%s must be a number that is 0 or more", bad_atol ? "atol" : "rtol");
}

bool scan_operator(struct scan_result *out, struct arena *a, const struct operator_input *in, struct err *e)
{
	memset(out, 0, sizeof(*out));
	struct operator* op = & out->op;
	struct scanning s = {out, op, a, in};
	op->seed = in->seed;
	op->ptr_size = in->ptr_size;
	op->stem = path_stem(a, in->path);
	if (!choose_backend(&s, e) || !check_tolerances(in, e) ||
	    !read_input(&s, &op->kernel, in->path, &out->text, e) || !read_op_file(&s, e))
		return false;
	out->stage = SCAN_INPUTS;
	bool is_py = backend_is_python(op->backend);
	if (is_py ? !python_read(&out->python, a, in->path, out->text, e)
		  : !source_read(&out->source, a, in->path, out->text, e))
		return false;
	out->stage = SCAN_TEXT;
	if (is_py && !in->backend && !out->python.triton_line && !out->python.jit_line)
		op->backend = BACKEND_TORCH;
	op->is_host = is_py && !out->python.torch_line && !out->python.triton_line && !out->python.jit_line;
	if (is_py ? !python_entry(&s, e) : !native_entry(&s, e))
		return false;
	out->stage = SCAN_ENTRY;
	if (!assign_roles(&s, e) || !find_reference(&s, e))
		return false;
	out->stage = SCAN_OPERATOR;
	return true;
}
