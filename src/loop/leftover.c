/* Leftovers.
 * In: a folder whose lock is held. Out: the folder without temporary files of writers that died.
 * base/file writes to ".NAME.XXXXXX" and renames.
 * Never: touches a name of another form. */
#include "loop/leftover.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool is_temporary(const char *name)
{
	size_t n = strlen(name);
	if (n < 9 || name[0] != '.' || name[n - 7] != '.')
		return false;
	for (size_t i = n - 6; i < n; i++) {
		char c = name[i];
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
			return false;
	}
	return true;
}

void leftover_sweep(const char *folder)
{
	struct arena a;
	struct err ignored;
	size_t n = 0;
	arena_init(&a);
	char **names = file_list(&a, folder, &n, &ignored);
	for (size_t i = 0; names && i < n; i++) {
		const char *path = path_join(&a, folder, names[i]);
		struct stat st;
		if (is_temporary(names[i]) && lstat(path, &st) == 0 && S_ISREG(st.st_mode))
			(void)unlink(path);
	}
	arena_release(&a);
}
