/* Formats of other projects.
 * In: a file or a folder. Out: which format it is, and the texts that belong to it.
 * A format is known by what stands in its file, in a folder by that file's name.
 * Never: runs anything. */
#include "measure/import_format.h"

#include <string.h>

#include "base/file.h"
#include "base/utf8.h"

#define ADAPTER(name) import_##name, import_##name##_end
#define DECLARE(name) extern const char import_##name[], import_##name##_end[];
DECLARE(leetgpu)
DECLARE(kernelbench)
DECLARE(tensara)
DECLARE(gpumode)
DECLARE(trace)
DECLARE(robust)
DECLARE(tritonbench)

static const struct import_format formats[] = {
	{"LeetGPU challenge",
	 {"class Challenge", "reference_impl"},
	 "challenge.py",
	 "a .cu or .py with solve()",
	 ADAPTER(leetgpu),
	 false},
	{"Tensara problem",
	 {"reference_solution", "generate_test_cases"},
	 "def.py",
	 "a .cu or .py with solution()",
	 ADAPTER(tensara),
	 false},
	{"GPU MODE task",
	 {NULL},
	 "task.yml",
	 "a .py with custom_kernel(), CUDA by load_inline",
	 ADAPTER(gpumode),
	 true},
	{"flashinfer-trace definition",
	 {"\"axes\"", "\"reference\""},
	 "definition.json",
	 "a solution .json, or a .py with run()",
	 ADAPTER(trace),
	 true},
	{"robust-kbench problem",
	 {"class Model", "def forward_fn", "get_inputs"},
	 "func_forward.py",
	 "a .py with forward_fn(), or a .cu that exports forward",
	 ADAPTER(robust),
	 true},
	{"TritonBench-G file",
	 {"####################################################################################################",
	  "def test_"},
	 NULL,
	 "a .py with the same functions above the line of #",
	 ADAPTER(tritonbench),
	 false},
	{"KernelBench problem",
	 {"class Model", "get_inputs"},
	 NULL,
	 "a .py with class ModelNew",
	 ADAPTER(kernelbench),
	 false},
};

static bool has_marks(const struct import_format *f, struct str text)
{
	for (size_t i = 0; i < COUNT_OF(f->marks) && f->marks[i]; i++) {
		if (str_find(text, str_from(f->marks[i])) == SIZE_MAX)
			return false;
	}
	return f->marks[0] != NULL;
}

static const char *known(struct arena *a)
{
	const char *text = "";
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		text = arena_printf(a, "%s%s%s", text, i ? ", " : "", formats[i].name);
	return text;
}

static bool is_source(const char *name)
{
	static const char *const endings[] = {".py", ".yml", ".json", ".jsonl", ".h"};
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		if (strcmp(path_ext(name), endings[i]) == 0)
			return true;
	}
	return false;
}

static bool add(struct import_problem *p, struct arena *a, const char *path, struct err *e)
{
	struct str text;
	const char *name = arena_strdup(a, path_base(path));
	if (json_get(p->sources, name)) /* the nearest one counts */
		return true;
	if (!file_read(a, &text, path, IMPORT_MAX_BYTES, e))
		return false;
	if (!utf8_is_valid(text))
		return err_set(e, ERR_INPUT, "%s: no text (UTF-8)", path);
	json_set_str(p->sources, name, text);
	return true;
}

/* The files of a folder that a problem may read; those of the folder above count, too, as GPU MODE has it. */
static bool add_folder(struct import_problem *p, struct arena *a, const char *folder, struct err *e)
{
	size_t n;
	char **names = file_list(a, folder, &n, e);
	for (size_t i = 0; names && i < n; i++) {
		const char *path = path_join(a, folder, names[i]);
		if (is_source(names[i]) && !file_is_dir(path) && !add(p, a, path, e))
			return false;
	}
	return names != NULL;
}

static bool find_in_folder(struct import_problem *p, struct arena *a, const char *folder, struct err *e)
{
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		const char *path = formats[i].file ? path_join(a, folder, formats[i].file) : NULL;
		if (path && file_exists(path)) {
			p->format = &formats[i];
			p->path = path;
			return true;
		}
	}
	return err_set(e, ERR_INPUT, "%s: holds no problem of a known format (%s)", folder, known(a));
}

/* The folder names the problem where the file has the same name in all of them. */
static const char *stem_of(const struct import_problem *p, struct arena *a)
{
	bool is_common = p->format->file && strcmp(path_base(p->path), p->format->file) == 0;
	const char *folder = path_base(path_dir(a, path_absolute(a, p->path)));
	char *stem = arena_strdup(a, is_common && *folder ? folder : path_stem(a, p->path));
	for (char *c = stem; *c; c++) {
		bool ok = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '.';
		*c = ok || *c == '-' ? *c : '_';
	}
	return stem;
}

bool import_problem_read(struct import_problem *out, struct arena *a, const char *path, struct err *e)
{
	struct str text;
	*out = (struct import_problem){.path = path, .sources = json_object(a)};
	if (file_is_dir(path) && !find_in_folder(out, a, path, e))
		return false;
	if (!add(out, a, out->path, e))
		return false;
	text = json_str(out->sources, path_base(out->path), STR(""));
	for (size_t i = 0; !out->format && i < COUNT_OF(formats); i++) {
		if (formats[i].file && !formats[i].marks[0] && strcmp(path_base(out->path), formats[i].file) == 0)
			out->format = &formats[i];
	}
	for (size_t i = 0; !out->format && i < COUNT_OF(formats); i++) {
		if (has_marks(&formats[i], text))
			out->format = &formats[i];
	}
	if (!out->format)
		return err_set(e, ERR_INPUT, "%s: no problem of a known format (%s)", path, known(a));
	out->stem = stem_of(out, a);
	const char *folder = path_dir(a, out->path);
	if (!out->format->has_folder)
		return true;
	/* A data set of flashinfer-trace: definitions/<op_type>/<name>.json, workloads/<op_type>/<name>.jsonl */
	const char *workloads = path_join(a, folder,
					  arena_printf(a, "../../workloads/%s/%s.jsonl",
						       path_base(path_absolute(a, folder)), path_stem(a, out->path)));
	return (!file_exists(workloads) || add(out, a, workloads, e)) && add_folder(out, a, folder, e) &&
	       add_folder(out, a, path_join(a, folder, ".."), e);
}
