/* A candidate written in Python.
 * In: operator, interpreter. Out: a folder with probe.so, the worker's script and one JSON description; its arguments.
 * probe.so and the script are carried inside the program, so that the release stays one file.
 * Never: runs candidate code in this process. */
#include "run/guest.h"

#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "run/sandbox.h"
#include "run/sandbox_env.h"

extern const char guest_probe[], guest_probe_end[], guest_script[], guest_script_end[];

enum { GUEST_RESULT_MAX = 16 << 20 };

/* Versions come from the package data: importing torch takes seconds. */
static const char IDENTIFY[] = PROC_PYTHON_ALONE
	"import json\n"
	"from importlib import metadata\n"
	"def v(n):\n"
	"    try: return metadata.version(n)\n"
	"    except Exception: return None\n"
	"print(json.dumps({'facts': {'interpreter': sys.executable, 'installed': {'python': sys.version.split()[0],\n"
	"    'torch': v('torch'), 'triton': v('triton'), 'numpy': v('numpy')}},\n"
	"    'path': [p for p in sys.path if p], 'roots': [sys.prefix, sys.base_prefix, sys.exec_prefix]}))\n";

static const char *const *strings_of(struct arena *a, const struct json *x, const struct json *y)
{
	size_t n = 0;
	const char **out = ARENA_ARRAY(a, x->n + y->n + 1, const char *);
	for (size_t i = 0; i < x->n; i++)
		out[n++] = arena_str(a, x->items[i]->text).p;
	for (size_t i = 0; i < y->n; i++)
		out[n++] = arena_str(a, y->items[i]->text).p;
	return out;
}

bool guest_identify(struct guest *out, struct arena *a, const char *wanted, struct err *e)
{
	static const char *const env[] = {"TRITON_INTERPRET=1", NULL};
	const char *name = wanted ? wanted : "python3", *path = path_which(a, name, NULL);
	*out = (struct guest){.env = env};
	if (!path)
		return err_set(e, ERR_ENVIRONMENT, "%s was not found: a .py needs it; --python names an interpreter",
			       name);
	const char *argv[] = {path, "-c", IDENTIFY, NULL};
	struct proc_options o = {.argv = argv, .timeout_ns = (int64_t)60 * 1000000000};
	struct proc_result r;
	struct err bad;
	struct json *said = NULL;
	bool ok = proc_run(&r, &o, e);
	if (ok && r.exit_status == 0)
		said = json_parse(a, path, arena_str(a, buf_view(&r.out)), JSON_STRICT, &bad);
	const struct json *paths = said ? json_get(said, "path") : NULL, *roots = said ? json_get(said, "roots") : NULL;
	if (ok && (!paths || !roots || paths->type != JSON_ARRAY || roots->type != JSON_ARRAY))
		ok = err_set(e, ERR_ENVIRONMENT, "%s does not run: %s", path, proc_describe(a, &r));
	proc_result_release(&r);
	if (!ok)
		return false;
	out->facts = json_get(said, "facts");
	out->import_path = json_get(said, "path");
	out->python = arena_str(a, json_str(out->facts, "interpreter", str_from(path))).p;
	out->paths = strings_of(a, roots, paths);
	return true;
}

static struct json *scalar_json(struct arena *a, enum dtype t, uint64_t bits)
{
	double v = dtype_load(t, &bits);
	if (t == DTYPE_BOOL)
		return json_new_bool(a, bits != 0);
	if (t == DTYPE_I64)
		return json_new_i64(a, (int64_t)bits);
	if (t == DTYPE_U64)
		return json_new_u64(a, bits);
	return dtype_is_float(t) ? json_new_f64(a, v) : json_new_i64(a, (int64_t)v);
}

static struct json *params_of(struct arena *a, const struct operator* op)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < op->n_params; i++) {
		const struct param *p = &op->params[i];
		struct json *x = json_object(a);
		json_set_str(x, "name", p->name);
		json_set_bool(x, "tensor", param_is_tensor(p));
		json_set_bool(x, "returned", (p->flags & PARAM_RETURNED) != 0);
		json_set_bool(x, "either", (p->flags & PARAM_EITHER) != 0);
		json_set_cstr(x, "dtype", dtype_name(p->dtype));
		json_push(list, x);
	}
	return list;
}

static struct json *args_of(struct arena *a, const struct operator* op, const struct op_case *c)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < op->n_params; i++) {
		struct json *x = json_object(a);
		if (!param_is_tensor(&op->params[i])) {
			json_set(x, "value", scalar_json(a, op->params[i].dtype, c->args[i].bits));
		} else {
			struct json *shape = json_set_array(x, "shape");
			for (size_t d = 0; d < c->args[i].n_dims; d++)
				json_push_i64(shape, c->args[i].shape[d]);
		}
		json_push(list, x);
	}
	return list;
}

static bool write_description(const struct guest *g, struct arena *a, const struct operator* op, const char *path,
			      struct err *e)
{
	struct json *j = json_object(a), *cases = json_set_array(j, "cases");
	struct buf b;
	json_set_cstr(j, "module", g->module);
	json_set(j, "path", g->import_path);
	json_set(j, "params", params_of(a, op));
	for (size_t i = 0; i < op->n_cases; i++)
		json_push(cases, args_of(a, op, &op->cases[i]));
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	bool ok = file_write_str(path, buf_view(&b), e);
	buf_release(&b);
	return ok;
}

/* By its text, as worker.py tells them; an import that is not there costs seconds and harms nothing. */
static const char *preload_of(struct arena *a, const char *module)
{
	struct err ignored;
	struct str text;
	if (!file_read(a, &text, module, GUEST_RESULT_MAX, &ignored))
		return "";
	bool has_triton = str_find(text, STR("import triton")) != SIZE_MAX;
	bool has_torch = has_triton || str_find(text, STR("import torch")) != SIZE_MAX ||
			 str_find(text, STR("from torch")) != SIZE_MAX;
	return has_triton ? "torch,triton" : has_torch ? "torch" : "";
}

/* As PYTHONPATH has it: a folder whose name holds a colon is nobody's. */
static const char *path_text(struct arena *a, const struct json *path)
{
	const char *out = "";
	for (size_t i = 0; i < path->n; i++)
		out = arena_printf(a, "%s%s%.*s", out, i ? ":" : "", STR_ARG(path->items[i]->text));
	return out;
}

bool guest_prepare_files(struct guest *out, struct arena *a, const struct operator* op, const char *folder,
			 struct err *e)
{
	const char *so = path_join(a, folder, "probe.so"), *script = path_join(a, folder, "worker.py");
	const char *job = path_join(a, folder, "operator.json");
	out->preload = preload_of(a, op->kernel.path);
	const char *args[] = {"-B",         "-u",     script,
			      so,           job,      *out->preload ? "--preload" : NULL,
			      out->preload, "--path", path_text(a, out->import_path),
			      NULL};
	out->folder = path_absolute(a, folder);
	out->module = op->kernel.path;
	const char **copy = ARENA_ARRAY(a, COUNT_OF(args), const char *);
	memcpy(copy, args, sizeof(args));
	out->args = copy;
	return file_mkdirs(folder, 0700, e) && file_write_str(so, str_upto(guest_probe, guest_probe_end), e) &&
	       file_write_str(script, str_upto(guest_script, guest_script_end), e);
}

bool guest_write_description(const struct guest *g, struct arena *a, const struct operator* op, struct err *e)
{
	return write_description(g, a, op, path_join(a, g->folder, "operator.json"), e);
}

bool guest_prepare(struct guest *out, struct arena *a, const struct operator* op, const char *folder, struct err *e)
{
	return guest_prepare_files(out, a, op, folder, e) && guest_write_description(out, a, op, e);
}

static bool write_call(struct arena *a, const struct guest_call *c, struct err *e)
{
	struct buf b;
	struct str worker = str_upto(guest_script, guest_script_end);
	buf_init(&b);
	json_write(&b, c->job, JSON_COMPACT);
	bool ok = file_mkdirs(c->folder, 0700, e) &&
		  file_write_str(path_join(a, c->folder, "job.json"), buf_view(&b), e) &&
		  file_write_str(path_join(a, c->folder, "worker.py"), worker, e) &&
		  file_write_str(path_join(a, c->folder, "script.py"), c->script, e);
	buf_release(&b);
	return ok;
}

static struct sandbox *make_sandbox(struct arena *a, const struct guest_call *c, struct err *e)
{
	size_t n = 0, n_paths = 0;
	while (c->guest->paths[n])
		n++;
	struct sandbox_path *paths = ARENA_ARRAY(a, n + 3, struct sandbox_path);
	for (size_t i = 0; i < n; i++)
		paths[n_paths++] = (struct sandbox_path){c->guest->paths[i], SANDBOX_READ | SANDBOX_EXEC};
	paths[n_paths++] = (struct sandbox_path){c->guest->python, SANDBOX_READ | SANDBOX_EXEC};
	paths[n_paths++] = (struct sandbox_path){c->module, SANDBOX_READ};
	paths[n_paths++] = (struct sandbox_path){c->folder, SANDBOX_READ | SANDBOX_WRITE};
	struct sandbox_plan plan = {.kind = SANDBOX_PYTHON,
				    .network = SANDBOX_NET_NONE,
				    .paths = paths,
				    .n_paths = n_paths,
				    .max_file_bytes = UINT64_C(1) << 40}; /* tensors in memory files */
	return sandbox_new(&plan, e);
}

static struct json *read_result(struct arena *a, int fd)
{
	struct err bad;
	off_t n = lseek(fd, 0, SEEK_END);
	if (n <= 0 || n > GUEST_RESULT_MAX)
		return NULL;
	char *p = arena_alloc(a, (size_t)n + 1);
	if (pread(fd, p, (size_t)n, 0) != (ssize_t)n)
		return NULL;
	return json_parse(a, "result", (struct str){p, (size_t)n}, JSON_STRICT, &bad);
}

struct guest_running {
	const char *module;
	struct proc_options options;
	struct proc_child child;
	struct sandbox *box;
	int fd;
};

static bool start_call(struct guest_running *r, struct arena *a, const struct guest_call *c, struct err *e)
{
	struct sandbox_env_options env = {
		.folder = c->folder, .gpu = c->gpu ? c->gpu : "", .extra = c->gpu ? NULL : c->guest->env};
	const char *argv[] = {c->guest->python,
			      "-B",
			      path_join(a, c->folder, "script.py"),
			      path_join(a, c->folder, "job.json"),
			      arena_printf(a, "%d", r->fd),
			      NULL};
	const char **words = ARENA_ARRAY(a, COUNT_OF(argv), const char *);
	int *fds = ARENA_ARRAY(a, c->n_fds + 1, int);
	memcpy(words, argv, sizeof(argv));
	if (c->n_fds)
		memcpy(fds, c->fds, c->n_fds * sizeof(*fds));
	fds[c->n_fds] = r->fd;
	struct sandbox *box = make_sandbox(a, c, e);
	r->options = (struct proc_options){.argv = words,
					   .env = box ? sandbox_env(a, &env, e) : NULL,
					   .cwd = c->folder,
					   .timeout_ns = c->timeout_ns,
					   .flags = PROC_PDEATHSIG | PROC_NEW_SESSION,
					   .pass_fds = fds,
					   .n_pass_fds = c->n_fds + 1,
					   .child_setup = sandbox_apply,
					   .child_arg = box};
	bool ok = r->options.env && proc_begin(&r->child, &r->options, e);
	r->box = box;
	return ok;
}

static void release_call(struct guest_running *r)
{
	if (r->fd >= 0)
		close(r->fd);
	sandbox_free(r->box);
	r->fd = -1;
	r->box = NULL;
}

struct guest_running *guest_begin(struct arena *a, const struct guest_call *c, struct err *e)
{
	struct guest_running *r = ARENA_NEW(a, struct guest_running);
	*r = (struct guest_running){.module = c->module, .fd = -1};
	r->fd = write_call(a, c, e) ? file_memfd("result", 0, e) : -1;
	if (r->fd >= 0 && start_call(r, a, c, e))
		return r;
	release_call(r);
	return NULL;
}

bool guest_end(struct json **result, const char **how, struct arena *a, struct guest_running *r, struct err *e)
{
	struct proc_result got;
	*result = NULL;
	proc_end(&got, &r->child);
	bool ok = !got.interrupted || err_set(e, ERR_INTERRUPTED, "interrupted while %s ran", path_base(r->module));
	if (ok)
		*result = read_result(a, r->fd);
	if (ok && !*result)
		*how = proc_describe(a, &got);
	proc_result_release(&got);
	release_call(r);
	return ok;
}

bool guest_run(struct json **result, const char **how, struct arena *a, const struct guest_call *c, struct err *e)
{
	struct guest_running *r = guest_begin(a, c, e);
	*result = NULL;
	return r && guest_end(result, how, a, r, e);
}
