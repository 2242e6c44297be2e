/* The prerequisites of the loop.
 * In: the kernel's text and the operator file. Out: eight items, each with its status, the line looked at, the answer.
 * What only a build or a run can tell is left open and settled by the caller.
 * Never: builds, runs, completes or repairs a kernel. */
#include "operator/check.h"

#include <string.h>

#include "base/buf.h"
#include "base/version.h"
#include "operator/scan.h"

enum item { IMPLEMENTATION, OVERLOADS, KERNEL, INTERFACE, DATA, PARSES, RUNS, CORRECT };

struct checking {
	struct check *out;
	struct arena *arena;
	const struct scan_result *scan;
	struct err why; /* of the stage that was not reached */
};

const char *check_status_name(enum check_status s)
{
	static const char *const names[] = {"met", "not_met", "not_applicable", "decided_by_running"};
	return s < COUNT_OF(names) ? names[s] : "?";
}

const char *check_answer_text(enum check_answer a)
{
	static const char *const texts[] = {
		"",
		"Get a complete implementation first, from the flow that generates it; it is not completed here.",
		"Add the benchmark interface first: setup and run_kernel, or an entry such as solve.",
		"Fix this first, and make sure that the basic tests pass.",
		"Fix the algorithm first, so that the result is correct.",
	};
	return a < COUNT_OF(texts) ? texts[a] : "";
}

static void set(struct checking *c, enum item i, enum check_status s, unsigned line, const char *found)
{
	struct check_item *item = &c->out->items[i];
	item->status = s;
	item->line = line;
	item->line_text = line ? source_line(c->scan->text, line) : (struct str){"", 0};
	item->found = found;
}

/* The first number between colons: "kernel.cu:12: ..." gives 12. */
static unsigned line_of(const char *text, const char *name)
{
	size_t n = strlen(name);
	if (strncmp(text, name, n) != 0 || text[n] != ':')
		return 0;
	unsigned line = 0;
	for (const char *p = text + n + 1; *p >= '0' && *p <= '9' && line < 100000000; p++)
		line = line * 10 + (unsigned)(*p - '0');
	return line;
}

/* "add.Tensor" is implemented by add_Tensor. */
static const char *wrapper_name(struct arena *a, struct str overload)
{
	char *s = arena_strndup(a, overload.p, overload.n);
	for (char *p = s; *p; p++)
		*p = *p == '.' ? '_' : *p;
	return s;
}

static void check_overloads(struct checking *c)
{
	const struct opfile *f = &c->scan->file;
	struct buf missing;
	unsigned line = 0;
	buf_init(&missing);
	for (size_t i = 0; i < f->n_overloads; i++) {
		const char *name = wrapper_name(c->arena, f->overloads[i]);
		const struct python_function *w = python_function(&c->scan->python, name);
		if (!w)
			buf_printf(&missing, "%s%s (for %.*s)", missing.n ? ", " : "", name, STR_ARG(f->overloads[i]));
		else if (!line)
			line = w->line;
	}
	if (!f->n_overloads)
		set(c, OVERLOADS, CHECK_NOT_APPLICABLE, 0,
		    "no list of overloads: \"overloads\" of an operator file would name them");
	else if (missing.n)
		set(c, OVERLOADS, CHECK_NOT_MET, 0,
		    arena_printf(c->arena, "missing: %.*s", STR_ARG(buf_view(&missing))));
	else
		set(c, OVERLOADS, CHECK_MET, line,
		    arena_printf(c->arena, "all %zu listed overloads have a function", f->n_overloads));
	buf_release(&missing);
}

static void check_python(struct checking *c)
{
	const struct python_source *s = &c->scan->python;
	const struct operator* op = & c->scan->op;
	const struct python_function *entry = python_function(s, "run_kernel"), *wrapper = NULL;
	if (!entry && op->entry.n)
		entry = python_function(s, arena_strndup(c->arena, op->entry.p, op->entry.n));
	for (size_t i = 0; i < s->n_functions && !wrapper; i++) {
		const struct python_function *f = &s->functions[i];
		bool is_ours =
			str_is(f->name, "setup") || str_is(f->name, "run_kernel") || str_is(f->name, "reference");
		if (!is_ours && !(f->flags & PYTHON_JIT) && f != entry)
			wrapper = f;
	}
	const struct python_call *missing = entry ? python_missing(s, entry) : NULL;
	if (missing)
		set(c, IMPLEMENTATION, CHECK_NOT_MET, missing->line,
		    arena_printf(c->arena, "'%.*s' calls '%.*s', which this file neither defines nor imports",
				 STR_ARG(entry->name), STR_ARG(missing->name)));
	else if (wrapper)
		set(c, IMPLEMENTATION, CHECK_MET, wrapper->line,
		    arena_printf(c->arena, "wrapper function '%.*s'", STR_ARG(wrapper->name)));
	else if (entry)
		set(c, IMPLEMENTATION, CHECK_MET, entry->line,
		    arena_printf(c->arena, "no wrapper function: '%.*s' is the whole implementation",
				 STR_ARG(entry->name)));
	else
		set(c, IMPLEMENTATION, CHECK_NOT_MET, 0, "no function that implements the operator");
	check_overloads(c);
	if (op->backend == BACKEND_TORCH)
		set(c, KERNEL, CHECK_NOT_APPLICABLE, s->torch_line, "backend torch: no Triton in this file");
	else if (s->jit_line)
		set(c, KERNEL, CHECK_MET, s->jit_line, "a kernel with @triton.jit");
	else
		set(c, KERNEL, CHECK_NOT_MET, s->triton_line, "no @triton.jit kernel");
}

/* A library or a local header that can hold the kernel. */
static const char *kernel_include(const struct source *s, unsigned *line)
{
	static const char *const libraries[] = {"<cub/", "<thrust/", "<cublas", "<cudnn", "<cufft", "<cusparse", "\""};
	for (size_t i = 0; i < s->includes.n; i++) {
		for (size_t k = 0; k < COUNT_OF(libraries); k++) {
			if (str_starts(s->includes.entries[i].key, libraries[k])) {
				*line = (unsigned)(uintptr_t)s->includes.entries[i].value;
				return libraries[k];
			}
		}
	}
	return NULL;
}

/* No entry: is there code at all, or only a promise of it? */
static void check_without_entry(struct checking *c)
{
	const struct source *s = &c->scan->source;
	const struct source_function *body = NULL, *promise = NULL;
	for (size_t i = 0; i < s->n_functions; i++) {
		const struct source_function *f = &s->functions[i];
		bool is_entry =
			str_is(f->name, "solve") || str_is(f->name, "solution") || str_is(f->name, "run_kernel");
		if (!(f->flags & SOURCE_BODY) && is_entry && !promise)
			promise = f;
		if ((f->flags & SOURCE_BODY) && (!body || (f->flags & SOURCE_GLOBAL)))
			body = f;
	}
	if (promise)
		set(c, IMPLEMENTATION, CHECK_NOT_MET, promise->line,
		    arena_printf(c->arena, "'%.*s' is only declared", STR_ARG(promise->name)));
	else if (body)
		set(c, IMPLEMENTATION, CHECK_MET, body->line,
		    arena_printf(c->arena, "'%.*s' is defined here", STR_ARG(body->name)));
	else
		set(c, IMPLEMENTATION, CHECK_NOT_MET, 0, "no function is defined in this file");
}

static void check_native(struct checking *c)
{
	const struct source *s = &c->scan->source;
	const struct operator* op = & c->scan->op;
	unsigned line = 0;
	const char *include = kernel_include(s, &line);
	if (c->scan->stage >= SCAN_ENTRY)
		set(c, IMPLEMENTATION, CHECK_MET, op->entry_line,
		    arena_printf(c->arena, "'%.*s' is defined here", STR_ARG(op->entry)));
	else if (c->scan->no_entry)
		check_without_entry(c);
	else
		set(c, IMPLEMENTATION, CHECK_MET, line_of(c->why.text, op->kernel.name),
		    "an entry is defined; its parameters are not understood");
	set(c, OVERLOADS, CHECK_NOT_APPLICABLE, 0, "overloads belong to a .py");
	if (op->backend == BACKEND_C)
		set(c, KERNEL, CHECK_NOT_APPLICABLE, 0, "backend c: the entry computes on the CPU");
	else if (s->global_line)
		set(c, KERNEL, CHECK_MET, s->global_line, "a __global__ kernel");
	else if (s->cutlass_line)
		set(c, KERNEL, CHECK_MET, s->cutlass_line, "a kernel made of CUTLASS or CuTe templates");
	else if (include && *include == '<')
		set(c, KERNEL, CHECK_MET, line, "no __global__ here; a library header brings the kernel");
	else if (include)
		set(c, KERNEL, CHECK_LATER, line, "no __global__ here; an included file may hold the kernel");
	else
		set(c, KERNEL, CHECK_NOT_MET, 0, "no __global__ kernel");
}

static void check_interface(struct checking *c)
{
	const struct scan_result *s = c->scan;
	const struct operator* op = & s->op;
	const char *form = "";
	if (op->setup_line)
		form = arena_printf(c->arena, ", setup in line %u", op->setup_line);
	if (s->stage >= SCAN_ENTRY)
		set(c, INTERFACE, CHECK_MET, op->entry_line,
		    arena_printf(c->arena, "entry '%.*s'%s", STR_ARG(op->entry), form));
	else if (s->no_entry)
		set(c, INTERFACE, CHECK_NOT_MET, line_of(c->why.text, op->kernel.name), c->why.text);
	else
		set(c, INTERFACE, CHECK_MET, line_of(c->why.text, op->kernel.name),
		    "an entry is there; its parameters are not understood");
}

static void check_data(struct checking *c)
{
	const struct operator* op = & c->scan->op;
	struct buf dims;
	if (c->scan->stage < SCAN_OPERATOR) {
		set(c, DATA, CHECK_LATER, 0, "unknown until the entry is understood");
		return;
	}
	if (op->data == DATA_SETUP) {
		set(c, DATA, CHECK_MET, op->setup_line, "setup() of this file supplies the data");
		return;
	}
	if (op->data == DATA_FILE) {
		set(c, DATA, CHECK_MET, 0,
		    arena_printf(c->arena, "the operator file %s describes the data", op->op_file.name));
		return;
	}
	buf_init(&dims);
	for (size_t i = 0; i < op->n_params; i++) {
		if (op->params[i].role == PARAM_DIM)
			buf_printf(&dims, "%s--%.*s", dims.n ? ", " : "", STR_ARG(op->params[i].name));
	}
	set(c, DATA, CHECK_MET, op->entry_line,
	    arena_printf(c->arena, "a generator supplies the data; sizes and roles are guessed from %s",
			 dims.n ? dims.p : "--ptr-size"));
	buf_release(&dims);
}

static void check_rest(struct checking *c)
{
	const struct scan_result *s = c->scan;
	unsigned line = line_of(c->why.text, s->op.kernel.name);
	bool is_broken = s->stage < SCAN_TEXT || (s->stage == SCAN_TEXT && !s->no_entry);
	if (is_broken)
		set(c, PARSES, CHECK_NOT_MET, line, c->why.text);
	else
		set(c, PARSES, CHECK_MET, s->op.entry_line, "the text is understood");
	set(c, RUNS, CHECK_LATER, 0, "build and first run of v0 decide");
	if (s->op.reference.path)
		set(c, CORRECT, CHECK_LATER, 0,
		    arena_printf(c->arena, "the comparison of v0 with %s decides", s->op.reference.name));
	else
		set(c, CORRECT, CHECK_NOT_APPLICABLE, 0, "no reference: nothing will claim that the result is right");
}

bool check_read(struct check *out, struct arena *a, const struct operator_input *in, struct err *e)
{
	static const struct check_item items[CHECK_ITEMS] = {
		{.key = "implementation", .answer = CHECK_ANSWER_COMPLETE},
		{.key = "overloads", .answer = CHECK_ANSWER_COMPLETE},
		{.key = "kernel", .answer = CHECK_ANSWER_COMPLETE},
		{.key = "benchmark_interface", .answer = CHECK_ANSWER_INTERFACE},
		{.key = "data", .answer = CHECK_ANSWER_INTERFACE},
		{.key = "parses", .answer = CHECK_ANSWER_FIX},
		{.key = "compiles_and_runs", .answer = CHECK_ANSWER_FIX},
		{.key = "correct", .answer = CHECK_ANSWER_ALGORITHM},
	};
	struct scan_result *scan = ARENA_NEW(a, struct scan_result);
	struct checking *c = ARENA_NEW(a, struct checking);
	memset(out, 0, sizeof(*out));
	memcpy(out->items, items, sizeof(items));
	*c = (struct checking){.out = out, .arena = a, .scan = scan};
	bool ok = scan_operator(scan, a, in, &c->why);
	bool is_input_fault =
		!ok && (scan->stage == SCAN_NOTHING || scan->stage == SCAN_ENTRY || c->why.code == ERR_USAGE);
	out->op = scan->op;
	out->is_readable = ok;
	if (is_input_fault) {
		if (e)
			*e = c->why;
		return false;
	}
	if (scan->stage < SCAN_TEXT) {
		static const char open[] = "unknown: the text could not be read to its end";
		for (size_t i = 0; i < CHECK_ITEMS; i++)
			set(c, (enum item)i, CHECK_LATER, 0, open);
	} else if (backend_is_python(scan->op.backend)) {
		check_python(c);
	} else {
		check_native(c);
	}
	if (scan->stage >= SCAN_TEXT) {
		check_interface(c);
		check_data(c);
	}
	check_rest(c);
	for (size_t i = 0; i < CHECK_ITEMS; i++)
		out->n_not_met += out->items[i].status == CHECK_NOT_MET;
	return true;
}

void check_settle(struct check *c, struct arena *a, const char *key, enum check_status s, const char *found)
{
	for (size_t i = 0; i < CHECK_ITEMS; i++) {
		struct check_item *item = &c->items[i];
		if (strcmp(item->key, key) != 0)
			continue;
		c->n_not_met -= item->status == CHECK_NOT_MET;
		c->n_not_met += s == CHECK_NOT_MET;
		item->status = s;
		item->found = arena_strdup(a, found);
		return;
	}
	BUG("no such prerequisite");
}

struct json *check_json(struct arena *a, const struct check *c)
{
	struct json *j = json_object(a), *items = json_set_array(j, "prerequisites");
	json_set_cstr(j, "format", "assay/check-v1");
	json_set(j, "tool", version_json(a));
	json_set_cstr(j, "kernel", c->op.kernel.path);
	for (size_t i = 0; i < CHECK_ITEMS; i++) {
		const struct check_item *item = &c->items[i];
		struct json *o = json_object(a);
		json_set_cstr(o, "key", item->key);
		json_set_cstr(o, "status", check_status_name(item->status));
		json_set_cstr(o, "found", item->found);
		if (item->line) {
			json_set_i64(o, "line", item->line);
			json_set_str(o, "line_text", item->line_text);
		}
		if (item->status == CHECK_NOT_MET)
			json_set_cstr(o, "answer", check_answer_text(item->answer));
		json_push(items, o);
	}
	json_set_i64(j, "n_not_met", (int64_t)c->n_not_met);
	json_set_cstr(j, "backend", backend_name(c->op.backend));
	if (c->is_readable)
		json_set_cstr(j, "data", operator_data_name(c->op.data));
	return j;
}
