/* Compilers.
 * In: a language, a wanted path. Out: path, version, argv.
 * nvcc: PATH, then CUDA_HOME, CUDA_PATH, /usr/local/cuda. C and C++: $CC and $CXX, cc and c++.
 * Never: compiles. */
#include "build/compiler.h"

#include "base/file.h"
#include "build/tool.h"

/* $CC or $CXX; NULL when it is not set. */
static const char *chosen_by_user(enum build_language language)
{
	const char *chosen = language == BUILD_CUDA ? NULL : getenv(language == BUILD_C ? "CC" : "CXX");
	return chosen && *chosen ? chosen : NULL;
}

static const char *find_path(struct arena *a, enum build_language language, const char *wanted)
{
	if (language == BUILD_CUDA)
		return tool_find(a, "nvcc", wanted);
	const char *chosen = chosen_by_user(language);
	if (chosen)
		return path_which(a, chosen, NULL);
	char *found = path_which(a, language == BUILD_C ? "cc" : "c++", NULL);
	return found ? found : path_which(a, language == BUILD_C ? "gcc" : "g++", NULL);
}

static int cuda_major_of(const char *version)
{
	const char *at = strstr(version, "release ");
	return at ? (int)strtol(at + 8, NULL, 10) : 0;
}

bool compiler_locate(struct compiler *out, struct arena *a, enum build_language language, const char *wanted,
		     struct err *e)
{
	*out = (struct compiler){.path = find_path(a, language, wanted)};
	if (!out->path && language == BUILD_CUDA && wanted)
		return err_set(e, ERR_ENVIRONMENT, "nvcc: '%s' is no executable file; --nvcc-bin names the one to use",
			       wanted);
	if (!out->path && chosen_by_user(language))
		return err_set(e, ERR_ENVIRONMENT,
			       "%s='%s' is no executable file: a path or a name without arguments is wanted",
			       language == BUILD_C ? "CC" : "CXX", chosen_by_user(language));
	if (!out->path)
		return err_set(
			e, ERR_ENVIRONMENT,
			language == BUILD_CUDA
				? "nvcc was not found on PATH, under CUDA_HOME or /usr/local/cuda: install the CUDA "
				  "toolkit or name it with --nvcc-bin"
				: "no C compiler was found: install gcc or set %s",
			language == BUILD_C ? "CC" : "CXX");
	return true;
}

bool compiler_find(struct compiler *out, struct arena *a, enum build_language language, const char *wanted,
		   struct err *e)
{
	if (!compiler_locate(out, a, language, wanted, e))
		return false;
	if (!tool_version(&out->version, a, out->path, language == BUILD_CUDA ? "release" : NULL, 0, e))
		return false;
	out->cuda_major = language == BUILD_CUDA ? cuda_major_of(out->version) : 0;
	return true;
}

struct words {
	struct arena *arena;
	const char **v;
	size_t n, cap;
};

static void add(struct words *w, const char *word)
{
	if (w->n + 1 >= w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 32;
		const char **more = ARENA_ARRAY(w->arena, cap, const char *);
		if (w->n)
			memcpy(more, w->v, w->n * sizeof(*more));
		w->v = more;
		w->cap = cap;
	}
	w->v[w->n++] = word;
}

static void add_all(struct words *w, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(w, words[i]);
}

/* The instructions of one architecture alone (wgmma, tcgen05) exist from sm_90a on. */
static const char *arch_of(struct arena *a, const struct build_options *o, bool own_instructions)
{
	if (o->arch)
		return arena_printf(a, "-arch=%s", o->arch);
	return arena_printf(a, "-arch=sm_%d%s", o->sm ? o->sm : 70, own_instructions && o->sm >= 90 ? "a" : "");
}

static void add_cutlass(struct words *w, const char *folder)
{
	const char *util = path_join(w->arena, folder, "../tools/util/include");
	add(w, arena_printf(w->arena, "-I%s", folder));
	if (file_is_dir(util))
		add(w, arena_printf(w->arena, "-I%s", util));
	add(w, "--expt-relaxed-constexpr");
	add(w, "-DNDEBUG"); /* its device assertions are calls, around which ptxas serialises wgmma */
}

const char **compiler_argv(struct arena *a, const struct compiler *c, const struct build_options *o,
			   const char *library, const char *deps, size_t *n)
{
	static const char *const nvcc[] = {"-O3",    "-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-cudart",
					   "static", "-lineinfo",  "-Xptxas", "-v",         "-MMD"};
	static const char *const cc[] = {"-O2", "-g", "-shared", "-fPIC", "-MMD"};
	struct words w = {.arena = a};
	struct str flags = str_from(o->flags), flag;
	add(&w, c->path);
	if (o->language == BUILD_CUDA) {
		add_all(&w, nvcc, COUNT_OF(nvcc));
		add(&w, arch_of(a, o, c->cutlass));
		if (c->cutlass)
			add_cutlass(&w, c->cutlass);
	} else {
		add_all(&w, cc, COUNT_OF(cc));
		add(&w, o->language == BUILD_C ? "-std=gnu17" : "-std=gnu++17");
	}
	add(&w, "-MF");
	add(&w, deps);
	while (str_split(&flags, ' ', &flag)) {
		if (flag.n)
			add(&w, arena_strndup(a, flag.p, flag.n));
	}
	add(&w, o->source);
	add(&w, "-o");
	add(&w, library);
	if (o->language != BUILD_CUDA)
		add(&w, "-lm");
	*n = w.n;
	w.v[w.n] = NULL;
	return w.v;
}
