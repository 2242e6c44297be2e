/* Scratch folders.
 * In: a word for the name. Out: a folder of our own.
 * A folder is left over when it holds our lock file and the lock can be taken.
 * Never: removes a folder whose process lives, in whatever container, or one without that file. */
#include "base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

#define LOCK_NAME ".assay-scratch"
#define PREFIX "assay-"

static int take(struct arena *a, const char *folder, int flags)
{
	int fd = open(path_join(a, folder, LOCK_NAME), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool is_ours(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static void sweep(struct arena *a, const char *root)
{
	size_t n = 0;
	struct err ignored;
	char **names = file_list(a, root, &n, &ignored);
	for (size_t i = 0; names && i < n; i++) {
		const char *path = path_join(a, root, names[i]);
		size_t length = strlen(names[i]);
		bool is_scratch = str_starts(str_from(names[i]), PREFIX) && length > 13 && names[i][length - 7] == '-';
		if (!is_scratch || !is_ours(path))
			continue;
		int fd = take(a, path, 0);
		if (fd < 0)
			continue;
		if (!file_remove_tree(path, &ignored))
			log_debug("%s", ignored.text);
		close(fd);
	}
}

bool scratch_make(struct scratch *out, struct arena *a, const char *word, struct err *e)
{
	const char *root = getenv("TMPDIR");
	*out = (struct scratch){.lock = -1};
	if (!root || root[0] != '/' || !file_is_dir(root))
		root = "/tmp";
	sweep(a, root);
	char *path = arena_printf(a, "%s/" PREFIX "%s-XXXXXX", root, word);
	if (!mkdtemp(path))
		return err_errno(e, ERR_IO, errno, "%s: no scratch folder can be made there", path);
	out->path = path;
	out->lock = take(a, path, O_CREAT);
	if (out->lock >= 0)
		return true;
	err_errno(e, ERR_IO, errno, "%s/" LOCK_NAME, path);
	scratch_remove(out);
	return false;
}

void scratch_remove(struct scratch *s)
{
	struct err e;
	if (s->path && !file_remove_tree(s->path, &e))
		log_note("%s", e.text);
	if (s->lock >= 0)
		close(s->lock);
	*s = (struct scratch){.lock = -1};
}
