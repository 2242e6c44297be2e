/* Paths as text, and programs on the PATH.
 * In: path texts. Out: new path texts in the caller's arena.
 * Declared in base/file.h beside the files that they name.
 * Never: creates anything. */
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *path_join(struct arena *a, const char *dir, const char *name)
{
	if (name[0] == '/' || dir[0] == 0)
		return arena_strdup(a, name);
	size_t n = strlen(dir);
	return arena_printf(a, dir[n - 1] == '/' ? "%s%s" : "%s/%s", dir, name);
}

char *path_dir(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return arena_strdup(a, ".");
	return arena_strndup(a, path, slash == path ? 1 : (size_t)(slash - path));
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *path_ext(const char *path)
{
	const char *base = path_base(path);
	const char *dot = strrchr(base, '.');
	return dot && dot != base ? dot : base + strlen(base);
}

char *path_stem(struct arena *a, const char *path)
{
	const char *base = path_base(path);
	return arena_strndup(a, base, (size_t)(path_ext(path) - base));
}

char *path_absolute(struct arena *a, const char *path)
{
	char cwd[PATH_MAX];
	if (path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
		return arena_strdup(a, path);
	if (path[0] == '.' && path[1] == '/')
		path += 2;
	return path_join(a, cwd, path);
}

char *path_real(struct arena *a, const char *path)
{
	char *p = realpath(path, NULL);
	char *copy = p ? arena_strdup(a, p) : NULL;
	free(p);
	return copy;
}

static char *which_in(struct arena *a, const char *name, struct str dirs)
{
	struct str dir;
	while (str_split(&dirs, ':', &dir)) {
		char *folder = dir.n ? arena_strndup(a, dir.p, dir.n) : arena_strdup(a, ".");
		char *path = path_join(a, folder, name);
		if (file_is_executable(path))
			return path_absolute(a, path);
	}
	return NULL;
}

char *path_which(struct arena *a, const char *name, const char *extra)
{
	if (strchr(name, '/'))
		return file_is_executable(name) ? path_absolute(a, name) : NULL;
	const char *path = getenv("PATH");
	char *found = path ? which_in(a, name, str_from(path)) : NULL;
	if (!found && extra)
		found = which_in(a, name, str_from(extra));
	return found;
}
