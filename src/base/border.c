/* Where a compiler may read.
 * In: the environment, a compiler. Out: folders and files.
 * Of an installation its programs, libraries and headers are taken, not the folder it lies in, which may be a home.
 * Never: takes a folder because a request names it. */
#include "base/border.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define MOST 600

static const char *const system_paths[] = {
	"/usr",
	"/lib",
	"/lib32",
	"/lib64",
	"/bin",
	"/sbin",
	"/opt",
	"/nix/store",
	"/gnu/store",
	"/sys/devices/system/cpu",
	"/proc/cpuinfo",
	"/proc/meminfo",
	"/proc/stat",
	"/proc/filesystems",
	"/dev/null",
	"/dev/zero",
	"/dev/full",
	"/dev/urandom",
	"/dev/random",
	"/etc/ld.so.cache",
	"/etc/ld.so.conf",
	"/etc/ld.so.conf.d",
	"/etc/ld.so.preload",
	"/etc/localtime",
	"/etc/locale.alias",
	"/etc/alternatives",
};
/* Beside a folder "bin"; of a program that lies elsewhere, beside the program. */
static const char *const parts[] = {"bin",     "sbin",  "lib",  "lib32",   "lib64", "libexec",
				    "include", "share", "nvvm", "targets", "etc",   "sysroot"};
/* Folders, or lists of them with colons. */
static const char *const variables[] = {
	"CUDA_HOME",           "CUDA_PATH",          "CUDA_ROOT",    "CONDA_PREFIX",    "VIRTUAL_ENV",
	"CUTLASS_INCLUDE_DIR", "CUTLASS_PATH",       "CUTLASS_HOME", "CUTLASS_DIR",     "CPATH",
	"C_INCLUDE_PATH",      "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "COMPILER_PATH",
};

struct list {
	struct arena *arena;
	const char **v;
	size_t n;
};

const char *border_root(void)
{
	const char *root = getenv(BORDER_VARIABLE);
	return root && *root ? root : NULL;
}

/* The root of all is no installation. */
static void add(struct list *l, const char *path)
{
	bool is_folder_name = path[0] == '/' && path[strspn(path, "/")];
	if (is_folder_name && l->n < MOST)
		l->v[l->n++] = path;
}

static void add_parts(struct list *l, const char *folder)
{
	const char *base = str_is(str_from(path_base(folder)), "bin") ? path_dir(l->arena, folder) : folder;
	bool is_place = base[0] == '/' && base[strspn(base, "/")]; /* "/bin": the system's own, above */
	for (size_t i = 0; is_place && i < COUNT_OF(parts); i++)
		add(l, path_join(l->arena, base, parts[i]));
}

/* As it is called, and behind its links: each may find its libraries relative to itself. */
static void add_tool(struct list *l, const char *tool)
{
	const char *real = path_real(l->arena, tool);
	add(l, tool);
	add_parts(l, path_dir(l->arena, tool));
	if (!real)
		return;
	add(l, real);
	add_parts(l, path_dir(l->arena, real));
}

static void add_each(struct list *l, const char *text, bool is_path)
{
	struct str rest = str_from(text), one;
	while (rest.n && str_split(&rest, ':', &one)) {
		const char *folder = arena_strndup(l->arena, one.p, one.n);
		if (!is_path)
			add(l, folder);
		else if (str_ends(one, "/bin"))
			add_parts(l, folder);
	}
}

struct confine_paths border_toolchain(struct arena *a, const char *tool)
{
	static const char *const compilers[] = {"cc", "c++", "gcc", "g++", "clang", "nvcc"};
	struct list l = {a, ARENA_ARRAY(a, MOST, const char *), 0};
	for (size_t i = 0; i < COUNT_OF(system_paths); i++)
		add(&l, system_paths[i]);
	if (tool)
		add_tool(&l, tool);
	for (size_t i = 0; i < COUNT_OF(compilers); i++) {
		const char *found = path_which(a, compilers[i], NULL);
		if (found)
			add_tool(&l, found);
	}
	for (size_t i = 0; i < COUNT_OF(variables); i++) {
		if (getenv(variables[i]))
			add_each(&l, getenv(variables[i]), false);
	}
	if (getenv("PATH"))
		add_each(&l, getenv("PATH"), true);
	return (struct confine_paths){l.v, l.n};
}

bool border_is_toolchain(struct arena *a, const char *path)
{
	static const char *const headers[] = {"/usr", "/lib", "/lib64", "/opt", "/nix/store", "/gnu/store"};
	struct list l = {a, ARENA_ARRAY(a, MOST, const char *), 0};
	for (size_t i = 0; i < COUNT_OF(headers); i++)
		add(&l, headers[i]);
	for (size_t i = 0; i < COUNT_OF(variables); i++) {
		if (getenv(variables[i]))
			add_each(&l, getenv(variables[i]), false);
	}
	for (size_t i = 0; i < l.n; i++) {
		const char *real = path_real(a, l.v[i]);
		size_t n = real ? strlen(real) : 0;
		if (n && strncmp(path, real, n) == 0 && (path[n] == '/' || path[n] == 0))
			return true;
	}
	return false;
}
