/* Compilers.
 * In: a language, a wanted path. Out: path, version, argv.
 * nvcc: PATH, then CUDA_HOME, CUDA_PATH, /usr/local/cuda. C and C++: $CC and $CXX, cc and c++.
 * Never: compiles. */
#include "build/compiler.h"

#include "base/file.h"
#include "base/proc.h"
#include "store/cache.h"

static const char *find_path(struct arena *a, enum build_language language, const char *wanted)
{
	static const char nvcc_places[] = "/usr/local/cuda/bin:/opt/cuda/bin:/usr/lib/nvidia-cuda-toolkit/bin";
	if (wanted)
		return path_which(a, wanted, nvcc_places);
	if (language == BUILD_CUDA) {
		static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
		char *found = path_which(a, "nvcc", NULL);
		for (size_t i = 0; !found && i < COUNT_OF(homes); i++) {
			const char *home = getenv(homes[i]);
			if (home && *home)
				found = path_which(a, arena_printf(a, "%s/bin/nvcc", home), NULL);
		}
		return found ? found : path_which(a, "nvcc", nvcc_places);
	}
	const char *chosen = getenv(language == BUILD_C ? "CC" : "CXX");
	char *found = chosen && *chosen ? path_which(a, chosen, NULL) : NULL;
	if (!found)
		found = path_which(a, language == BUILD_C ? "cc" : "c++", NULL);
	return found ? found : path_which(a, language == BUILD_C ? "gcc" : "g++", NULL);
}

/* The first line that holds a digit: "cc (Debian 12.2.0-14) 12.2.0", "Cuda compilation tools, release 13.0, V13.0.88" */
static struct str version_line(struct str text, enum build_language language)
{
	struct str line, first = STR("");
	while (str_split(&text, '\n', &line)) {
		line = str_trim(line);
		if (language == BUILD_CUDA && str_find(line, STR("release")) != SIZE_MAX)
			return line;
		if (language != BUILD_CUDA && !first.n && line.n)
			first = line;
	}
	return first;
}

static bool ask_version(struct compiler *out, struct arena *a, enum build_language language, struct err *e)
{
	const char *argv[] = {out->path, "--version", NULL};
	struct proc_options o = {.argv = argv, .timeout_ns = (int64_t)20 * 1000000000, .flags = PROC_MERGE_STDERR};
	struct proc_result r;
	bool ok = proc_run(&r, &o, e);
	if (ok && r.exit_status != 0)
		ok = err_set(e, ERR_ENVIRONMENT, "%s --version: %s", out->path, proc_describe(a, &r));
	if (ok) {
		struct str line = version_line(buf_view(&r.out), language);
		out->version = arena_strndup(a, line.p, line.n);
	}
	proc_result_release(&r);
	return ok;
}

static bool known_version(struct compiler *out, struct arena *a, enum build_language language, struct err *e)
{
	struct err ignored;
	struct cache *c = cache_open("tools", 0, &ignored);
	char key[SHA256_HEX];
	const char *real = path_real(a, out->path);
	const char *id = arena_printf(a, "version-v1 %s %lld %lld", real ? real : out->path,
				      (long long)file_size(out->path), (long long)file_mtime_ns(out->path));
	sha256_of(id, strlen(id), key);
	struct str line;
	bool ok = true;
	if (c && cache_get_bytes(c, a, key, &line)) {
		out->version = arena_strndup(a, line.p, line.n);
	} else {
		ok = ask_version(out, a, language, e);
		if (ok && c && !cache_put_bytes(c, key, str_from(out->version), &ignored))
			ok = true; /* asked again next time */
	}
	cache_free(c);
	return ok;
}

static int cuda_major_of(const char *version)
{
	const char *at = strstr(version, "release ");
	return at ? (int)strtol(at + 8, NULL, 10) : 0;
}

bool compiler_find(struct compiler *out, struct arena *a, enum build_language language, const char *wanted,
		   struct err *e)
{
	*out = (struct compiler){.path = find_path(a, language, wanted)};
	if (!out->path && wanted)
		return err_set(e, ERR_ENVIRONMENT, "nvcc: '%s' is no executable file; --nvcc-bin names the one to use",
			       wanted);
	if (!out->path)
		return err_set(
			e, ERR_ENVIRONMENT,
			language == BUILD_CUDA
				? "nvcc was not found on PATH, under CUDA_HOME or /usr/local/cuda: install the CUDA "
				  "toolkit or name it with --nvcc-bin"
				: "no C compiler was found: install gcc or set %s",
			language == BUILD_C ? "CC" : "CXX");
	if (!known_version(out, a, language, e))
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

static const char *arch_of(struct arena *a, const struct build_options *o)
{
	if (o->arch)
		return arena_printf(a, "-arch=%s", o->arch);
	return arena_printf(a, "-arch=sm_%d", o->sm ? o->sm : 70);
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
		add(&w, arch_of(a, o));
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
