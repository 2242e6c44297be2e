/* Kernels written for other places.
 * In: a problem and a solution. Out: kernel, data, reference, operator file.
 * The problem is run in a sandboxed process to learn its inputs; the solution is never run here.
 * Never: puts the problem's answer into the kernel's file. */
#include "measure/import.h"

#include "base/file.h"
#include "base/scratch.h"
#include "measure/import_blobs.h"
#include "run/describe.h"
#include "run/guest.h"

extern const char import_script[], import_script_end[], import_runtime[], import_runtime_end[];

struct importing {
	struct arena *arena;
	const struct import_options *o;
	struct import_problem problem;
	struct str solution;
	struct json *result;
};

static bool ask(struct importing *s, struct json *job, struct err *e)
{
	struct guest g;
	struct scratch scratch;
	const char *how = "";
	if (!guest_identify(&g, s->arena, s->o->python, e) || !scratch_make(&scratch, s->arena, "import", e))
		return false;
	struct import_blobs blobs;
	import_blobs_open(&blobs, s->arena, &s->problem);
	json_set(job, "blobs", blobs.list);
	json_set(job, "path", g.import_path);
	struct guest_call call = {.guest = &g,
				  .script = str_upto(import_script, import_script_end),
				  .job = job,
				  .module = path_absolute(s->arena, s->problem.path),
				  .folder = path_join(s->arena, scratch.path, "call"),
				  .fds = blobs.fds,
				  .n_fds = blobs.n,
				  .timeout_ns = s->o->timeout_ns};
	bool ok = guest_run(&s->result, &how, s->arena, &call, e);
	import_blobs_close(&blobs);
	scratch_remove(&scratch);
	if (!ok)
		return false;
	if (!s->result)
		return err_set(e, ERR_INPUT, "%s: its process ended without an answer: %s", s->problem.path, how);
	if (json_bool(s->result, "ok", false))
		return true;
	bool is_environment = json_str(s->result, "word", STR("x")).n == 0;
	return err_set(e, is_environment ? ERR_ENVIRONMENT : ERR_INPUT, "%.*s",
		       STR_ARG(json_str(s->result, "text", STR("?"))));
}

static struct json *job_of(struct importing *s)
{
	const struct import_format *f = s->problem.format;
	struct json *job = json_object(s->arena);
	json_set_cstr(job, "format", f->name);
	json_set_cstr(job, "wanted", f->solution);
	json_set_str(job, "runtime", str_upto(import_runtime, import_runtime_end));
	json_set_str(job, "adapter", str_upto(f->adapter, f->adapter_end));
	json_set_cstr(job, "problem", path_base(s->problem.path));
	json_set(job, "sources", s->problem.sources);
	json_set_cstr(job, "solution", path_base(s->o->solution));
	json_set_str(job, "solution_text", s->solution);
	return job;
}

/* What a solution in C or CUDA declares must take what the problem passes. */
static bool check_native(struct importing *s, const char *path, struct err *e)
{
	struct operator op;
	struct operator_input in = {.path = path,
				    .entry = arena_str(s->arena, json_str(s->result, "entry", STR("solve"))).p,
				    .seed = 42,
				    .flags = OPERATOR_NO_SEARCH | OPERATOR_SETUP};
	const struct json *params = json_get(s->result, "params");
	return operator_read(&op, s->arena, &in, e) && described_bind(params, s->arena, &op, e);
}

/* The solution stays what it is; else it is a module, or becomes one. */
static bool is_native(const struct importing *s)
{
	return json_bool(s->result, "native", false);
}

struct made { /* a file to be written */
	const char **path;
	const char *name, *key;
};

static const char *folder_of(struct importing *s, const struct made *all, size_t n)
{
	struct sha256 h;
	char sha[SHA256_HEX];
	sha256_init(&h);
	for (size_t i = 0; i < n; i++)
		sha256_str(&h, json_str(s->result, all[i].key, STR("")));
	sha256_hex(&h, sha);
	return arena_printf(s->arena, "assay-imported/%s-%.12s", path_stem(s->arena, all[0].name), sha);
}

static bool put_all(struct importing *s, struct import_files *out, struct err *e)
{
	struct arena *a = s->arena;
	const char *stem = s->problem.stem, *name = s->o->name ? s->o->name : stem;
	const struct made all[] = {
		{&out->kernel, arena_printf(a, "%s%s", name, is_native(s) ? path_ext(s->o->solution) : ".py"),
		 "kernel"},
		{&out->setup, arena_printf(a, "%s_setup.py", stem), "setup"},
		{&out->reference, arena_printf(a, "%s_ref.py", stem), "reference"},
		{&out->op_file, arena_printf(a, "%s.op.json", name), "op_file"},
	};
	const char *to = s->o->to ? s->o->to : folder_of(s, all, COUNT_OF(all));
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		*all[i].path = path_join(a, to, all[i].name);
		if (s->o->to && file_exists(*all[i].path))
			return err_set(e, ERR_INPUT, "%s: exists; nothing is overwritten", *all[i].path);
	}
	if (!file_mkdirs(to, 0755, e))
		return false;
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		/* Without --to the name says what is in it: what was changed there is put right. */
		if (!file_write_str(*all[i].path, json_str(s->result, all[i].key, STR("")), e))
			return false;
	}
	return true;
}

bool import_run(struct import_files *out, struct arena *a, const struct import_options *o, struct err *e)
{
	struct importing s = {.arena = a, .o = o};
	if (!import_problem_read(&s.problem, a, o->problem, e))
		return false;
	*out = (struct import_files){.format = s.problem.format->name};
	if (!o->solution)
		return err_set(e, ERR_USAGE, "import: a %s needs its solution (%s), too", out->format,
			       s.problem.format->solution);
	if (!file_read(a, &s.solution, o->solution, IMPORT_MAX_BYTES, e) || !ask(&s, job_of(&s), e))
		return false;
	if (is_native(&s) && !check_native(&s, o->solution, e))
		return false;
	out->n_cases = (uint64_t)json_i64(s.result, "n_cases", 0);
	out->notes = json_get(s.result, "notes");
	return put_all(&s, out, e);
}
