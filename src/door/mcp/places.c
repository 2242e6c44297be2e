/* The places in a workspace where the server and its jobs write of themselves.
 * In: the workspace. Out: folders below it, or what is in their way.
 * Looked at when the server starts and before every job, since the workspace is the client's.
 * Never: follows a link there. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/file.h"
#include "door/mcp/inside.h"

static bool is_there(struct mcp *m, const char *path, struct err *e)
{
	int fd = beneath_folder(m->root, path, e);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Version control is told to leave the folder alone. */
static bool put_ignore(struct mcp *m, struct err *e)
{
	int at = beneath_folder(m->root, MCP_PRIVATE, e);
	if (at < 0)
		return false;
	int fd = openat(at, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	bool ok = fd >= 0 ? file_write_all(fd, "*\n", 2, ".gitignore", e)
			  : errno == EEXIST || err_errno(e, ERR_IO, errno, "%s/.gitignore", m->private);
	if (fd >= 0)
		close(fd);
	close(at);
	return ok;
}

bool mcp_places(struct mcp *m, struct err *e)
{
	static const char *const folders[] = {MCP_PRIVATE "/store", MCP_PRIVATE "/cache", MCP_PRIVATE "/data",
					      MCP_PRIVATE "/tmp"};
	struct stat st;
	struct arena a;
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		if (!is_there(m, folders[i], e))
			return false;
	}
	arena_init(&a);
	const char *runs = path_join(&a, m->root, MCP_RUNS);
	bool ok = lstat(runs, &st) != 0 || S_ISDIR(st.st_mode) ||
		  err_set(e, ERR_INPUT, "%s: is no folder but a link or a file; runs are kept in the workspace itself",
			  runs);
	arena_release(&a);
	return ok && put_ignore(m, e);
}
