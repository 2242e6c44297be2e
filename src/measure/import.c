/* Kernels written for other places.
 * In: a problem and a solution. Out: three files: kernel, data, reference.
 * The problem is run in a sandboxed process to learn its inputs; the solution is never run here.
 * Never: puts the problem's answer into the kernel's file. */
#include "measure/import.h"

#include "base/file.h"
#include "base/scratch.h"
#include "run/guest.h"

extern const char import_script[], import_script_end[];

enum { IMPORT_MAX = 4 << 20 };

/* Formats that are known by what stands in them; only KernelBench is converted. */
static const char *format_of(struct arena *a, const char *path, struct str text)
{
	static const struct {
		const char *mark, *name;
	} marks[] = {{"ChallengeBase", "LeetGPU challenge"},
		     {"(Problem)", "Tensara problem"},
		     {"def ref_kernel", "GPU MODE task"},
		     {"\"axes\"", "flashinfer-trace definition"},
		     {"forward_fn", "robust-kbench problem"}};
	if (file_is_dir(path))
		return file_exists(path_join(a, path, "task.yml")) ? "GPU MODE task" : "folder of an unknown format";
	for (size_t i = 0; i < COUNT_OF(marks); i++) {
		if (str_find(text, str_from(marks[i].mark)) != SIZE_MAX)
			return marks[i].name;
	}
	return "KernelBench";
}

static bool ask(struct json **result, struct arena *a, const struct import_options *o, struct json *job, struct err *e)
{
	struct guest g;
	struct scratch scratch;
	const char *how = "";
	if (!guest_identify(&g, a, o->python, e) || !scratch_make(&scratch, a, "import", e))
		return false;
	json_set(job, "path", g.import_path);
	struct guest_call call = {.guest = &g,
				  .script = str_upto(import_script, import_script_end),
				  .job = job,
				  .module = path_absolute(a, o->problem),
				  .folder = path_join(a, scratch.path, "call"),
				  .timeout_ns = o->timeout_ns};
	bool ok = guest_run(result, &how, a, &call, e);
	scratch_remove(&scratch);
	if (!ok)
		return false;
	if (!*result)
		return err_set(e, ERR_INPUT, "%s: its process ended without an answer: %s", o->problem, how);
	if (json_bool(*result, "ok", false))
		return true;
	bool is_environment = json_str(*result, "word", STR("x")).n == 0;
	return err_set(e, is_environment ? ERR_ENVIRONMENT : ERR_INPUT, "%.*s",
		       STR_ARG(json_str(*result, "text", STR("?"))));
}

static bool put(const char **path, struct arena *a, const struct import_options *o, const char *suffix, struct str text,
		struct err *e)
{
	*path = path_join(a, o->to, arena_printf(a, "%s%s.py", path_stem(a, o->problem), suffix));
	if (file_exists(*path))
		return err_set(e, ERR_INPUT, "%s: exists; nothing is overwritten", *path);
	return file_write_str(*path, text, e);
}

bool import_run(struct import_files *out, struct arena *a, const struct import_options *o, struct err *e)
{
	struct str problem = STR(""), solution;
	struct json *job = json_object(a), *result = NULL;
	if (!file_is_dir(o->problem) && !file_read(a, &problem, o->problem, IMPORT_MAX, e))
		return false;
	*out = (struct import_files){.format = format_of(a, o->problem, problem)};
	if (strcmp(out->format, "KernelBench") != 0)
		return err_set(e, ERR_UNSUPPORTED, "%s: looks like a %s, which is not imported yet; KernelBench is",
			       o->problem, out->format);
	if (!o->solution)
		return err_set(e, ERR_USAGE, "import: a KernelBench problem needs its solution (class ModelNew), too");
	if (!file_read(a, &solution, o->solution, IMPORT_MAX, e))
		return false;
	json_set_cstr(job, "problem", path_base(o->problem));
	json_set_cstr(job, "solution", path_base(o->solution));
	json_set_cstr(job, "module", path_absolute(a, o->problem));
	json_set_str(job, "problem_text", problem);
	json_set_str(job, "solution_text", solution);
	return ask(&result, a, o, job, e) && file_mkdirs(o->to, 0755, e) &&
	       put(&out->kernel, a, o, "", json_str(result, "kernel", STR("")), e) &&
	       put(&out->setup, a, o, "_setup", json_str(result, "setup", STR("")), e) &&
	       put(&out->reference, a, o, "_ref", json_str(result, "reference", STR("")), e);
}
