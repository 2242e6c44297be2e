/* Tools of others.
 * In: a name or path. Out: the resolved path, the line that names the version.
 * Answers are kept in the cache "tools"; without a cache the tool is asked each time.
 * Never: asks a tool for more than its version; keeps a failure. */
#include "build/tool.h"

#include <ctype.h>

#include "base/file.h"
#include "base/proc.h"
#include "store/cache.h"

static const int64_t DEADLINE_NS = (int64_t)20 * 1000000000;
enum { MOST_OUTPUT = 64 << 10, MOST_HEADER = 1 << 20 };

/* /opt/nvidia/nsight-compute/2025.3.1/ncu, /opt/nvidia/nsight-systems/2025.3.2/bin/nsys: names sort by version. */
static const char *find_nsight(struct arena *a, const char *name)
{
	static const char *const homes[] = {"/opt/nvidia/nsight-compute", "/opt/nvidia/nsight-systems"};
	for (size_t i = 0; i < COUNT_OF(homes); i++) {
		struct err ignored;
		size_t n = 0;
		char **versions = file_is_dir(homes[i]) ? file_list(a, homes[i], &n, &ignored) : NULL;
		while (versions && n > 0) {
			const char *folder = path_join(a, homes[i], versions[--n]);
			const char *places = arena_printf(a, "%s:%s/bin", folder, folder);
			const char *found = path_which(a, name, places);
			if (found)
				return found;
		}
	}
	return NULL;
}

const char *tool_find(struct arena *a, const char *name, const char *wanted)
{
	static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
	static const char places[] = "/usr/local/cuda/bin:/opt/cuda/bin:/usr/lib/nvidia-cuda-toolkit/bin:"
				     "/usr/local/NVIDIA-Nsight-Compute";
	if (wanted)
		return path_which(a, wanted, places);
	const char *found = path_which(a, name, NULL);
	for (size_t i = 0; !found && i < COUNT_OF(homes); i++) {
		const char *home = getenv(homes[i]);
		if (home && *home)
			found = path_which(a, arena_printf(a, "%s/bin/%s", home, name), NULL);
	}
	if (!found)
		found = path_which(a, name, places);
	return found ? found : find_nsight(a, name);
}

static struct str pick_line(struct str text, const char *word)
{
	struct str line, first = STR("");
	while (str_split(&text, '\n', &line)) {
		line = str_trim(line);
		if (word && str_find(line, str_from(word)) != SIZE_MAX)
			return line;
		if (!first.n)
			first = line;
		if (first.n && !word)
			break;
	}
	return first;
}

/* A program that cannot be started is the environment's fault, not ours. */
static bool set_environment(struct err *e)
{
	if (e)
		e->code = ERR_ENVIRONMENT;
	return false;
}

static bool ask(const char **out, struct arena *a, const char *path, const char *word, int64_t timeout_ns,
		struct err *e)
{
	const char *argv[] = {path, "--version", NULL};
	struct proc_options o = {.argv = argv,
				 .timeout_ns = timeout_ns ? timeout_ns : DEADLINE_NS,
				 .max_output = MOST_OUTPUT,
				 .flags = PROC_MERGE_STDERR};
	struct proc_result r;
	bool ok = proc_run(&r, &o, e);
	if (!ok)
		ok = set_environment(e);
	else if (r.interrupted)
		ok = err_set(e, ERR_INTERRUPTED, "interrupted while %s was asked for its version", path);
	else if (r.exit_status != 0)
		ok = err_set(e, ERR_ENVIRONMENT, "%s --version: %s", path, proc_describe(a, &r));
	if (ok) {
		struct str line = pick_line(buf_view(&r.out), word);
		if (line.n > 200)
			line.n = 200; /* a version line is short; this is something else */
		*out = arena_strndup(a, line.p, line.n);
		if (!line.n)
			ok = err_set(e, ERR_ENVIRONMENT, "%s --version: it printed nothing", path);
	}
	proc_result_release(&r);
	return ok;
}

bool tool_version(const char **out, struct arena *a, const char *path, const char *word, int64_t timeout_ns,
		  struct err *e)
{
	struct err ignored;
	struct cache *c = cache_open("tools", 0, &ignored);
	char key[SHA256_HEX];
	const char *real = path_real(a, path);
	/* The path itself counts too: one file can act by the name it is called by (gcc and g++ wrappers). */
	const char *id = arena_printf(a, "version-v2 %s %s %lld %lld %s", path, real ? real : path,
				      (long long)file_size(path), (long long)file_mtime_ns(path), word ? word : "");
	struct str line;
	bool ok = true;
	sha256_of(id, strlen(id), key);
	if (c && cache_get_bytes(c, a, key, &line)) {
		*out = arena_strndup(a, line.p, line.n);
	} else {
		ok = ask(out, a, path, word, timeout_ns, e);
		if (ok && c && !cache_put_bytes(c, key, str_from(*out), &ignored))
			ok = true; /* asked again next time */
	}
	cache_free(c);
	return ok;
}

/* "V13.0.88", "12.2.0-14", "2025.3.2.474-2532v0" begin with one; "1ubuntu1.2" does not. */
static struct str dotted(struct str word)
{
	if (word.n > 1 && (word.p[0] == 'V' || word.p[0] == 'v'))
		word = str_sub(word, 1, word.n);
	size_t n = 0, n_dots = 0;
	for (; n < word.n && (isdigit((unsigned char)word.p[n]) || (n && word.p[n] == '.')); n++)
		n_dots += word.p[n] == '.';
	bool ends = n == word.n || !isalnum((unsigned char)word.p[n]);
	while (n && word.p[n - 1] == '.') {
		n--;
		n_dots--;
	}
	return n && n_dots && ends ? str_sub(word, 0, n) : STR("");
}

struct str tool_number(struct str line)
{
	struct str last = STR("");
	for (size_t i = 0; i < line.n;) {
		size_t n = 0;
		while (i + n < line.n && !strchr(" \t,;()[]", line.p[i + n]))
			n++;
		struct str number = dotted(str_sub(line, i, n));
		last = number.n ? number : last;
		i += n + 1;
	}
	return last;
}

const char *tool_cutlass_version(struct arena *a, const char *folder)
{
	static const char *const names[] = {"CUTLASS_MAJOR", "CUTLASS_MINOR", "CUTLASS_PATCH"};
	int64_t v[3] = {-1, -1, -1};
	struct str text, line;
	struct err ignored;
	if (!file_read(a, &text, path_join(a, folder, "cutlass/version.h"), MOST_HEADER, &ignored))
		return NULL;
	while (str_split(&text, '\n', &line)) {
		line = str_trim(line);
		if (!str_starts(line, "#define "))
			continue;
		line = str_trim(str_sub(line, 8, line.n));
		for (size_t i = 0; i < COUNT_OF(names); i++) {
			if (str_starts(line, names[i]) && v[i] < 0 &&
			    !str_i64(str_trim(str_sub(line, strlen(names[i]), line.n)), &v[i]))
				v[i] = -1;
		}
	}
	if (v[0] < 0 || v[1] < 0 || v[2] < 0)
		return NULL;
	return arena_printf(a, "%lld.%lld.%lld", (long long)v[0], (long long)v[1], (long long)v[2]);
}

static bool has_cutlass(struct arena *a, const char *folder)
{
	return file_exists(path_join(a, folder, "cutlass/cutlass.h"));
}

const char *tool_cutlass(struct arena *a, const char **version)
{
	static const char *const variables[] = {"CUTLASS_INCLUDE_DIR", "CUTLASS_PATH", "CUTLASS_HOME", "CUTLASS_DIR"};
	static const char *const places[] = {"/usr/local/cutlass/include", "/opt/cutlass/include",
					     "/usr/local/cuda/include", "/usr/local/include", "/usr/include"};
	const char *found = NULL;
	for (size_t i = 0; !found && i < COUNT_OF(variables); i++) {
		const char *folder = getenv(variables[i]);
		if (!folder || !*folder)
			continue;
		const char *inside = path_join(a, folder, "include");
		found = has_cutlass(a, folder) ? folder : has_cutlass(a, inside) ? inside : NULL;
	}
	for (size_t i = 0; !found && i < COUNT_OF(places); i++)
		found = has_cutlass(a, places[i]) ? places[i] : NULL;
	*version = found ? tool_cutlass_version(a, found) : NULL;
	return found ? path_absolute(a, found) : NULL;
}

const char *tool_cutlass_package(struct arena *a)
{
	static const char script[] =
		PROC_PYTHON_ALONE "import os\n"
				  "for p in sys.path:\n"
				  "    d = os.path.join(p, 'cutlass_library/source/include')\n"
				  "    if os.path.isfile(os.path.join(d, 'cutlass/cutlass.h')): print(d); break\n";
	const char *argv[] = {path_which(a, "python3", NULL), "-c", script, NULL};
	struct proc_options o = {.argv = argv, .timeout_ns = DEADLINE_NS, .max_output = MOST_OUTPUT};
	struct proc_result r;
	struct err ignored;
	if (!argv[0] || !proc_run(&r, &o, &ignored))
		return NULL;
	struct str line = str_trim(buf_view(&r.out));
	const char *folder = r.exit_status == 0 && line.n ? arena_strndup(a, line.p, line.n) : NULL;
	proc_result_release(&r);
	return folder && has_cutlass(a, folder) ? folder : NULL;
}
