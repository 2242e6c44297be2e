/* Writes and reads of a process confined to folders.
 * In: folders and files. Out: a Landlock domain over this process, or the reason in errno.
 * A folder that does not exist is left out: nothing can be made there later.
 * Never: loosens what an outer domain forbids. */
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/landlock.h"

static uint64_t handled_of(long abi)
{
	uint64_t fs = LL_WRITE_FILE | LL_MAKE_CHAR | LL_MAKE_DIR | LL_MAKE_REG | LL_MAKE_SOCK | LL_MAKE_FIFO |
		      LL_MAKE_BLOCK | LL_MAKE_SYM | LL_REMOVE_DIR | LL_REMOVE_FILE;
	fs |= abi >= 2 ? LL_REFER : 0;
	fs |= abi >= 3 ? LL_TRUNCATE : 0;
	return fs;
}

static bool allow(int rules, const char *path, uint64_t access)
{
	struct landlock_path rule = {access, open(path, O_PATH | O_CLOEXEC)};
	struct stat st;
	if (rule.fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
	bool ok = fstat(rule.fd, &st) == 0;
	if (ok && !S_ISDIR(st.st_mode))
		rule.access &= LL_ON_FILES;
	ok = ok && (rule.access == 0 || syscall(LANDLOCK_NR_ADD, rules, LANDLOCK_PATH_BENEATH, &rule, 0) == 0);
	close(rule.fd);
	return ok;
}

/* Takes the rules into force and closes them; errno stays. */
static bool enforce(int rules, bool ok)
{
	ok = ok && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(LANDLOCK_NR_RESTRICT, rules, 0) == 0;
	int code = errno;
	if (rules >= 0)
		close(rules);
	errno = code;
	return ok;
}

bool confine_is_possible(void)
{
	return syscall(LANDLOCK_NR_CREATE, NULL, 0, LANDLOCK_ASK_VERSION) >= 1;
}

bool confine_writes(const char *const *folders, size_t n)
{
	static const char *const system[] = {"/dev", "/proc"};
	long abi = syscall(LANDLOCK_NR_CREATE, NULL, 0, LANDLOCK_ASK_VERSION);
	if (abi < 1)
		return false;
	struct landlock_rules attr = {.fs = handled_of(abi)};
	int rules = (int)syscall(LANDLOCK_NR_CREATE, &attr, sizeof(attr.fs), 0);
	bool ok = rules >= 0;
	for (size_t i = 0; ok && i < COUNT_OF(system); i++)
		ok = allow(rules, system[i], attr.fs);
	for (size_t i = 0; ok && i < n; i++)
		ok = allow(rules, folders[i], attr.fs);
	return enforce(rules, ok);
}

bool confine_reads(void *paths)
{
	const struct confine_paths *p = paths;
	struct landlock_rules attr = {.fs = LL_READ | LL_EXECUTE};
	int rules = (int)syscall(LANDLOCK_NR_CREATE, &attr, sizeof(attr.fs), 0);
	bool ok = rules >= 0;
	for (size_t i = 0; ok && i < p->n; i++)
		ok = allow(rules, p->paths[i], attr.fs);
	return enforce(rules, ok);
}
