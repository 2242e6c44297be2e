/* The tools that assay uses.
 * In: what the user named. Out: one JSON object a tool.
 * Versions come from build/tool (cached); packages from the interpreter's metadata, or from an import when asked.
 * Never: makes one tool's fault the fault of the whole. */
#include "collect/toolset.h"

#include "build/compiler.h"
#include "build/tool.h"
#include "collect/interpreter.h"

static const int64_t SECOND = 1000000000;

struct tool_row {
	const char *key;
	const char *word;    /* in the line of --version that names it */
	const char *absence; /* what it costs */
};
static const struct tool_row nvcc_row = {"nvcc", "release",
					 "Without it no .cu is built: backends cuda and cutlass do not run."};
static const struct tool_row plain_rows[] = {
	{"ncu", "Version",
	 "Without it there are no counter reports: optimize on a GPU ends at the preflight, or runs with "
	 "--without-profile and names no version best."},
	{"nsys", "version", "Without it there is no timeline of a whole workload."},
	{"compute-sanitizer", "Version", "Without it bad memory accesses and races of a kernel go unseen by a tool."},
	{"cuobjdump", "release", "Without it the machine code inside a shared object is not listed."},
	{"nvdisasm", "release", "Without it the machine code of a cubin is not listed."},
};
static const struct tool_row cc_row = {"cc", NULL,
				       "Without it no .c is built: backend c and .c references do not run."};
static const struct tool_row cxx_row = {"c++", NULL, "Without it .cpp references do not run."};
static const struct tool_row python_row = {"python3", NULL, "Without it .py kernels and .py references do not run."};
static const struct tool_row torch_row = {"torch", NULL, "Without it a .py that imports torch does not run."};
static const struct tool_row triton_row = {"triton", NULL, "Without it backend triton does not run."};
static const struct tool_row cutlass_row = {
	"cutlass", NULL, "Without its headers a .cu that includes cutlass/ or cute/ does not compile."};

static struct json *add_row(struct json *tools, const struct tool_row *row, const char *state)
{
	struct json *j = json_set_object(tools, row->key);
	json_set_cstr(j, "state", state);
	json_set_null(j, "path");
	json_set_null(j, "version");
	json_set_null(j, "version_text");
	json_set_null(j, "reason");
	json_set_cstr(j, "absence", row->absence);
	return j;
}

static void set_version(struct json *j, const char *line)
{
	struct str number = tool_number(str_from(line));
	json_set_cstr(j, "state", "found");
	json_set_cstr(j, "version_text", line);
	json_set_str(j, "version", number.n ? number : str_from(line));
}

static bool set_fault(struct json *j, const char *state, const struct err *why, struct err *e)
{
	json_set_cstr(j, "state", state);
	json_set_cstr(j, "reason", why->text);
	if (why->code != ERR_INTERRUPTED)
		return true;
	if (e)
		*e = *why;
	return false;
}

static bool add_compiler(struct json *tools, struct arena *a, const struct tool_row *row, enum build_language language,
			 const char *wanted, struct err *e)
{
	struct compiler c;
	struct err why;
	struct json *j = add_row(tools, row, "absent");
	bool ok = compiler_find(&c, a, language, wanted, &why);
	json_set_cstr(j, "path", c.path);
	if (!ok)
		return set_fault(j, c.path ? "broken" : "absent", &why, e);
	set_version(j, c.version);
	return true;
}

static bool add_plain(struct json *tools, struct arena *a, const struct tool_row *row, const struct toolset_options *o,
		      struct err *e)
{
	const char *wanted = strcmp(row->key, "ncu") == 0 ? o->ncu : NULL, *line = NULL;
	struct err why;
	struct json *j = add_row(tools, row, "absent");
	const char *path = tool_find(a, row->key, wanted);
	json_set_cstr(j, "path", path);
	if (!path) {
		json_set_cstr(j, "reason",
			      wanted ? arena_printf(a, "'%s' is no executable file", wanted)
				     : "not on PATH, under CUDA_HOME, /usr/local/cuda or /opt/nvidia");
		return true;
	}
	if (!tool_version(&line, a, path, row->word, o->timeout_ns ? o->timeout_ns : 20 * SECOND, &why))
		return set_fault(j, "broken", &why, e);
	set_version(j, line);
	return true;
}

static void set_package(struct json *tools, const struct tool_row *row, const struct json *found, const char *source)
{
	struct json *j = add_row(tools, row, "absent");
	struct str error = json_str(found, "error", STR("")), version = json_str(found, "version", STR(""));
	json_set_cstr(j, "source", source);
	if (error.n) {
		bool is_absent = str_starts(error, "ModuleNotFoundError: No module named '") &&
				 str_find(error, str_from(row->key)) != SIZE_MAX;
		json_set_cstr(j, "state", is_absent ? "absent" : "broken");
		json_set_str(j, "reason", error);
		return;
	}
	if (!found || found->type != JSON_OBJECT) {
		json_set_cstr(j, "reason", "not among the packages of this python3");
		return;
	}
	json_set_cstr(j, "state", "found");
	for (size_t i = 0; i < found->n; i++)
		json_put(j, found->members[i].key, found->members[i].value);
	json_set_str(j, "version_text", version);
}

static void set_unknown(struct json *tools, const struct tool_row *row, const char *why)
{
	json_set_cstr(add_row(tools, row, "unknown"), "reason", why);
}

static bool import_packages(struct json *tools, struct arena *a, const char *python, const struct toolset_options *o,
			    struct err *e)
{
	struct err why;
	struct json *found =
		interpreter_import(a, python, o->gpu, o->import_timeout_ns ? o->import_timeout_ns : 180 * SECOND, &why);
	if (!found) { /* it hung, or took the interpreter down */
		struct json *torch = add_row(tools, &torch_row, "broken"),
			    *triton = add_row(tools, &triton_row, "unknown");
		json_set_cstr(triton, "reason", "importing torch ended the interpreter");
		return set_fault(torch, "broken", &why, e);
	}
	set_package(tools, &torch_row, json_get(found, "torch"), "import");
	set_package(tools, &triton_row, json_get(found, "triton"), "import");
	return true;
}

static void add_cutlass(struct json *tools, struct arena *a, const struct json *packages)
{
	struct json *j = add_row(tools, &cutlass_row, "absent");
	struct str inside = json_str(packages, "cutlass_include", STR(""));
	const char *version = NULL, *folder = tool_cutlass(a, &version);
	if (!folder && inside.n) {
		folder = arena_strndup(a, inside.p, inside.n);
		version = tool_cutlass_version(a, folder);
	}
	if (!folder) {
		json_set_cstr(j, "reason",
			      "no cutlass/cutlass.h under CUTLASS_INCLUDE_DIR, CUTLASS_PATH, /usr/local, /opt or "
			      "among Python's packages");
		return;
	}
	json_set_cstr(j, "state", "found");
	json_set_cstr(j, "path", folder);
	json_set_cstr(j, "version", version);
	json_set_cstr(j, "version_text", version);
}

static bool add_python(struct json *tools, struct arena *a, const struct toolset_options *o, struct err *e)
{
	struct json *j = add_row(tools, &python_row, "absent"), *packages = NULL;
	struct err why = {ERR_NONE, ""};
	const char *python = interpreter_find(a, o->python);
	bool ok = true;
	json_set_cstr(j, "path", python);
	if (!python)
		json_set_cstr(j, "reason",
			      o->python ? arena_printf(a, "'%s' is no executable file", o->python) : "not on PATH");
	else
		packages = interpreter_packages(a, python, o->timeout_ns ? o->timeout_ns : 20 * SECOND, &why);
	if (packages) {
		json_set_cstr(j, "state", "found");
		json_set_str(j, "version", json_str(packages, "version", STR("")));
		json_set_str(j, "version_text", json_str(packages, "version", STR("")));
		json_set_str(j, "executable", json_str(packages, "executable", STR("")));
	} else if (python) {
		ok = set_fault(j, "broken", &why, e);
	}
	if (packages && o->import_torch) {
		ok = import_packages(tools, a, python, o, e);
	} else if (packages) {
		set_package(tools, &torch_row, json_get(packages, "torch"), "metadata");
		set_package(tools, &triton_row, json_get(packages, "triton"), "metadata");
	} else {
		set_unknown(tools, &torch_row, python ? "python3 does not answer" : "there is no python3");
		set_unknown(tools, &triton_row, python ? "python3 does not answer" : "there is no python3");
	}
	add_cutlass(tools, a, packages);
	return ok;
}

bool toolset_read(struct json **out, struct arena *a, const struct toolset_options *o, struct err *e)
{
	struct json *tools = json_object(a);
	if (!add_compiler(tools, a, &nvcc_row, BUILD_CUDA, o->nvcc, e))
		return false;
	for (size_t i = 0; i < COUNT_OF(plain_rows); i++) {
		if (!add_plain(tools, a, &plain_rows[i], o, e))
			return false;
	}
	*out = tools;
	return add_compiler(tools, a, &cc_row, BUILD_C, NULL, e) &&
	       add_compiler(tools, a, &cxx_row, BUILD_CPP, NULL, e) && add_python(tools, a, o, e);
}
