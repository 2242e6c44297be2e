/* Leases on GPUs and the CPU.
 * In: a key. Out: an flock that the kernel frees with its holder, and a file that says who holds it.
 * The text in the file is for people and for the nested case; the lock alone decides.
 * Never: waits without looking at the signal flag, follows a link, removes the file of a plain lease. */
#include "store/lease.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/utf8.h"

#define NAME_MAX_BYTES 200 /* of a lease with its nesting, below NAME_MAX with ".lock" */
#define HOLDER_MAX 4096    /* bytes of a holder file */
#define COMMAND_MAX 200
#define ENV_NAME "ASSAY_LEASE"

struct lease {
	int fd, dir_fd;
	char name[NAME_MAX_BYTES + 1]; /* KEY, or KEY@PID for one inside the lease of PID */
	bool is_nested, is_silent;     /* is_silent: the file belongs to another user who lets us lock but not write */
};

/* ---- folder ---- */

static int folder_try(const char *path, struct err *e)
{
	if (mkdir(path, 01777) == 0)
		(void)!chmod(path, 01777); /* past the umask */
	else if (errno != EEXIST)
		return -1;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		err_errno(e, ERR_ENVIRONMENT, errno, "%s: no folder for leases (a link is not followed)", path);
		return -1;
	}
	if (faccessat(fd, ".", W_OK | X_OK, 0) == 0)
		return fd;
	err_errno(e, ERR_ENVIRONMENT, errno, "%s: leases need mode 1777 there; or set ASSAY_LEASE_DIR", path);
	close(fd);
	return -1;
}

/* Opens the folder; *shown gets its path. A folder that exists and cannot be used is an error, not a reason to take
 * another: two folders would mean two holders. */
static int folder_open(struct arena *a, const char **shown, struct err *e)
{
	const char *own = getenv("ASSAY_LEASE_DIR");
	const char *temp = getenv("TMPDIR");
	const char *tries[3] = {"/run/lock/assay", "/tmp/assay-leases", NULL};
	size_t n = 2;
	if (own && *own) {
		tries[0] = own;
		n = 1;
		if (!file_mkdirs(own, 0777, e))
			return -1;
	} else if (temp && *temp) {
		tries[n++] = path_join(a, temp, "assay-leases");
	}
	for (size_t i = 0; i < n; i++) {
		struct err why = {0};
		int fd = folder_try(tries[i], &why);
		if (fd >= 0) {
			*shown = arena_strdup(a, tries[i]);
			return fd;
		}
		if (why.code) {
			err_set(e, why.code, "%s", why.text);
			return -1;
		}
	}
	err_set(e, ERR_ENVIRONMENT, "no folder for leases can be made (tried %s); set ASSAY_LEASE_DIR", tries[0]);
	return -1;
}

const char *lease_folder(struct arena *a, struct err *e)
{
	const char *path = NULL;
	int fd = folder_open(a, &path, e);
	if (fd >= 0)
		close(fd);
	return path;
}

/* ---- who ---- */

static char *own_command(struct arena *a)
{
	char raw[COMMAND_MAX];
	size_t n = 0;
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t got = read(fd, raw, sizeof(raw));
		n = got > 0 ? (size_t)got : 0;
		close(fd);
	}
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < n;) {
		struct str rest = {raw + i, n - i};
		uint32_t c = 0;
		size_t step = utf8_decode(rest, &c);
		if (step && c >= 0x20 && c != 0x7f)
			buf_add(&b, raw + i, step);
		else
			buf_char(&b, ' ');
		i += step ? step : 1;
	}
	struct str s = str_trim(buf_view(&b));
	char *out = arena_strndup(a, s.p, s.n);
	buf_release(&b);
	return out;
}

static const char *own_user(struct arena *a)
{
	const char *names[] = {"LOGNAME", "USER"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *v = getenv(names[i]);
		if (v && *v && utf8_is_valid(str_from(v)))
			return arena_strndup(a, v, strnlen(v, 64));
	}
	return arena_printf(a, "uid %u", (unsigned)getuid()); /* no look-up: it can hang on a dead directory service */
}

static void holder_write(const struct lease *l, const char *key, const char *note)
{
	struct arena a;
	arena_init(&a);
	char since[25];
	clock_utc_iso(since);
	struct json *j = json_object(&a);
	json_set_cstr(j, "key", key);
	json_set_i64(j, "pid", getpid());
	json_set_i64(j, "start_time", proc_start_time((int)getpid()));
	json_set_cstr(j, "user", own_user(&a));
	json_set_cstr(j, "command", own_command(&a));
	json_set_cstr(j, "note", note && utf8_is_valid(str_from(note)) ? note : "");
	json_set_cstr(j, "since", since);
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	buf_char(&b, '\n');
	/* A text that cannot be written does not matter to the lock: the next one is told "unknown". */
	if (ftruncate(l->fd, 0) == 0)
		(void)!pwrite(l->fd, b.p, b.n, 0);
	buf_release(&b);
	arena_release(&a);
}

static const char *text_of(struct arena *a, const struct json *j, const char *key)
{
	struct str s = json_str(j, key, STR(""));
	return arena_strndup(a, s.p, s.n);
}

/* What a lease file says; false when it says nothing that can be used. */
static bool holder_read(struct arena *a, int fd, struct lease_holder *out)
{
	char text[HOLDER_MAX];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	if (n <= 0)
		return false;
	struct json *j = json_parse(a, "lease", (struct str){text, (size_t)n}, JSON_STRICT, NULL);
	if (!j || j->type != JSON_OBJECT)
		return false;
	*out = (struct lease_holder){
		.key = text_of(a, j, "key"),
		.pid = json_i64(j, "pid", -1),
		.start_time = json_i64(j, "start_time", -1),
		.user = text_of(a, j, "user"),
		.command = text_of(a, j, "command"),
		.note = text_of(a, j, "note"),
		.since = text_of(a, j, "since"),
	};
	return out->pid > 0 && out->pid <= INT32_MAX;
}

static bool holder_lives(const struct lease_holder *h)
{
	int64_t start = proc_start_time((int)h->pid);
	return start >= 0 && start == h->start_time;
}

/* ---- ancestors ---- */

static int parent_of(int pid)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return -1;
	text[got] = 0;
	const char *p = strrchr(text, ')'); /* "pid (name) state ppid" */
	return p && p[1] && p[2] ? (int)strtol(p + 3, NULL, 10) : -1;
}

static bool is_ancestor(int pid)
{
	int at = (int)getppid();
	for (int i = 0; i < 1024 && at > 0; i++) {
		if (at == pid)
			return true;
		at = parent_of(at);
	}
	return false;
}

/* ASSAY_LEASE holds NAME=PID:START, comma-separated: is the lease `name` of that holder offered to us? */
static bool is_offered(const char *name, const struct lease_holder *h)
{
	const char *env = getenv(ENV_NAME);
	if (!env)
		return false;
	char want[NAME_MAX_BYTES + 64];
	snprintf(want, sizeof(want), "%s=%lld:%lld", name, (long long)h->pid, (long long)h->start_time);
	struct str rest = str_from(env), item;
	while (str_split(&rest, ',', &item)) {
		if (str_is(item, want))
			return holder_lives(h) && is_ancestor((int)h->pid);
	}
	return false;
}

/* ---- one file ---- */

/* No O_CREAT on a file that exists: fs.protected_regular refuses that in a sticky folder of another user. */
static int file_open_lock(int dir_fd, const char *name, bool *is_silent)
{
	char file[NAME_MAX_BYTES + 8];
	snprintf(file, sizeof(file), "%s.lock", name);
	*is_silent = false;
	for (int i = 0; i < 8; i++) {
		int fd = openat(dir_fd, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 && errno == EACCES) {
			*is_silent = true;
			fd = openat(dir_fd, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		}
		if (fd >= 0 || errno != ENOENT)
			return fd;
		fd = openat(dir_fd, file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0)
			(void)!fchmod(fd, 0666); /* past the umask: other users lock it too */
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static bool is_still_there(int dir_fd, const char *name, int fd)
{
	char file[NAME_MAX_BYTES + 8];
	snprintf(file, sizeof(file), "%s.lock", name);
	struct stat by_name, by_fd;
	return fstatat(dir_fd, file, &by_name, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &by_fd) == 0 &&
	       by_name.st_ino == by_fd.st_ino && by_name.st_dev == by_fd.st_dev;
}

/* Is there a holder inside a lease of `name` whose own holder is gone? Then the key is not free yet. */
static bool nested_is_held(struct arena *a, int dir_fd, const char *name, struct lease_holder *h)
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	if (!d) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	size_t n = strlen(name);
	bool held = false;
	for (struct dirent *at = readdir(d); at && !held; at = readdir(d)) {
		if (strncmp(at->d_name, name, n) != 0 || at->d_name[n] != '@')
			continue;
		int fd = openat(dir_fd, at->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
			held = true;
			if (!holder_read(a, fd, h))
				*h = (struct lease_holder){.pid = -1};
		} else {
			unlinkat(dir_fd, at->d_name, 0); /* its holder died */
		}
		close(fd);
	}
	closedir(d);
	return held;
}

enum try_state { TRY_TAKEN, TRY_BUSY, TRY_FAILED };

/* One attempt at `l->name`. TRY_BUSY fills the holder (pid -1: unknown). */
static enum try_state try_lock(struct lease *l, struct arena *a, struct lease_holder *h, struct err *e)
{
	for (int i = 0; i < 8; i++) {
		l->fd = file_open_lock(l->dir_fd, l->name, &l->is_silent);
		struct stat st;
		if (l->fd < 0 || fstat(l->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
			err_errno(e, ERR_ENVIRONMENT, l->fd < 0 ? errno : EINVAL, "lease %s: its file cannot be used",
				  l->name);
			break;
		}
		if (flock(l->fd, LOCK_EX | LOCK_NB) != 0) {
			bool busy = errno == EWOULDBLOCK;
			if (!busy)
				err_errno(e, ERR_SYSTEM, errno, "lease %s: flock", l->name);
			else if (!holder_read(a, l->fd, h))
				*h = (struct lease_holder){.pid = -1};
			close(l->fd);
			l->fd = -1;
			return busy ? TRY_BUSY : TRY_FAILED;
		}
		if (!is_still_there(l->dir_fd, l->name, l->fd)) { /* removed between open and lock */
			close(l->fd);
			continue;
		}
		if (!nested_is_held(a, l->dir_fd, l->name, h))
			return TRY_TAKEN;
		close(l->fd);
		l->fd = -1;
		return TRY_BUSY;
	}
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	return TRY_FAILED;
}

/* ---- taking ---- */

static bool key_is_valid(const char *key)
{
	size_t n = strlen(key);
	if (n == 0 || n > 100 || key[0] == '.')
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = key[i];
		bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':' ||
			  c == '-' || c == '_' || c == '.';
		if (!ok)
			return false;
	}
	return true;
}

static bool busy_error(const char *key, const struct lease_holder *h, struct err *e)
{
	if (h->pid < 0)
		return err_set(e, ERR_BUSY, "lease %s is taken by a process that left no name; try again when it ends",
			       key);
	return err_set(e, ERR_BUSY, "lease %s is taken by pid %lld (%s%s%s) of %s since %s; try again when it ends",
		       key, (long long)h->pid, h->command, *h->note ? ": " : "", h->note, h->user, h->since);
}

/* Steps from the lease of an ancestor into the one inside it. False: there is none for us. */
static bool step_inside(struct lease *l, const struct lease_holder *h)
{
	if (h->pid <= 0 || !is_offered(l->name, h))
		return false;
	char inner[sizeof(l->name) + 32];
	int n = snprintf(inner, sizeof(inner), "%s@%lld", l->name, (long long)h->pid);
	if (n < 0 || (size_t)n >= sizeof(l->name))
		return false;
	memcpy(l->name, inner, (size_t)n + 1);
	l->is_nested = true;
	return true;
}

/* After taking a nested lock: does the ancestor still hold the outer one? It may have died or let go in between, and a
 * third process may have looked for nested holders before we were one. */
static bool outer_is_held(const struct lease *l, struct arena *a)
{
	char outer[sizeof(l->name)];
	snprintf(outer, sizeof(outer), "%s", l->name);
	*strrchr(outer, '@') = 0;
	bool silent;
	int fd = file_open_lock(l->dir_fd, outer, &silent);
	if (fd < 0)
		return false;
	struct lease_holder h;
	bool held = flock(fd, LOCK_EX | LOCK_NB) != 0 && holder_read(a, fd, &h) && is_offered(outer, &h);
	close(fd);
	return held;
}

static void drop_lock(struct lease *l)
{
	if (l->fd < 0)
		return;
	if (!l->is_silent)
		(void)!ftruncate(l->fd, 0);
	if (l->is_nested) {
		char file[NAME_MAX_BYTES + 8];
		snprintf(file, sizeof(file), "%s.lock", l->name);
		unlinkat(l->dir_fd, file, 0);
	}
	close(l->fd);
	l->fd = -1;
}

/* One round: TRY_TAKEN with l->fd set, or why not. Starts at the plain key each time, as holders change. */
static enum try_state try_take(struct lease *l, const char *key, struct arena *a, struct lease_holder *h, struct err *e)
{
	snprintf(l->name, sizeof(l->name), "%s", key);
	l->is_nested = false;
	for (int depth = 0; depth < 16; depth++) {
		enum try_state state = try_lock(l, a, h, e);
		if (state == TRY_TAKEN && l->is_nested && !outer_is_held(l, a)) {
			drop_lock(l);
			return TRY_BUSY;
		}
		if (state != TRY_BUSY || !step_inside(l, h))
			return state;
	}
	return TRY_BUSY;
}

bool lease_take(struct lease **out, const char *key, int64_t wait_ns, const char *note, struct err *e)
{
	*out = NULL;
	if (!key_is_valid(key))
		return err_set(e, ERR_INPUT, "lease \"%.100s\": a key has 1 to 100 of A-Z a-z 0-9 : - _ .", key);
	struct arena a;
	arena_init(&a);
	struct lease *l = calloc(1, sizeof(*l));
	if (!l)
		BUG("out of memory");
	const char *shown;
	l->fd = -1;
	l->dir_fd = folder_open(&a, &shown, e);
	bool ok = false, told = false;
	int64_t begun = clock_ns();
	/* Who looks whether a lease is held locks its file for a moment; a few tries keep that from reading as taken. */
	for (int i = 0; l->dir_fd >= 0; i++) {
		struct arena_mark mark = arena_mark(&a);
		struct lease_holder h = {.pid = -1};
		enum try_state state = try_take(l, key, &a, &h, e);
		ok = state == TRY_TAKEN;
		if (state != TRY_BUSY)
			break;
		int64_t waited = clock_ns() - begun;
		busy_error(key, &h, e);
		if (i >= 4 && waited >= wait_ns)
			break;
		if (sig_pending()) {
			err_set(e, ERR_INTERRUPTED, "interrupted while waiting for lease %s", key);
			break;
		}
		if (i == 5 && !told)
			log_note("waiting for lease %s, held by pid %lld (%s)", key, (long long)h.pid,
				 h.pid > 0 ? h.command : "unknown");
		told = told || i == 5;
		arena_reset(&a, mark);
		clock_sleep_ns(i < 5 ? 1000000 : 20000000);
	}
	if (ok && !l->is_silent)
		holder_write(l, key, note);
	arena_release(&a);
	if (ok) {
		*out = l;
		if (e)
			*e = (struct err){0};
		return true;
	}
	if (l->dir_fd >= 0)
		close(l->dir_fd);
	free(l);
	return false;
}

void lease_free(struct lease *l)
{
	if (!l)
		return;
	drop_lock(l);
	close(l->dir_fd);
	free(l);
}

bool lease_is_nested(const struct lease *l)
{
	return l->is_nested;
}

bool lease_export(const struct lease *l, struct err *e)
{
	struct buf b;
	buf_init(&b);
	const char *old = getenv(ENV_NAME);
	if (old && *old)
		buf_printf(&b, "%s,", old);
	buf_printf(&b, "%s=%lld:%lld", l->name, (long long)getpid(), (long long)proc_start_time((int)getpid()));
	bool ok = setenv(ENV_NAME, b.p, 1) == 0 || err_errno(e, ERR_SYSTEM, errno, "the environment");
	buf_release(&b);
	return ok;
}

/* ---- listing ---- */

static bool is_held(int fd, const struct lease_holder *h)
{
	if (holder_lives(h))
		return true;
	/* Gone, or in another PID namespace: only the lock knows. */
	if (flock(fd, LOCK_SH | LOCK_NB) != 0)
		return true;
	flock(fd, LOCK_UN);
	return false;
}

bool lease_list(struct arena *a, struct lease_holder **out, size_t *n, struct err *e)
{
	*out = NULL;
	*n = 0;
	const char *path;
	int dir_fd = folder_open(a, &path, e);
	if (dir_fd < 0)
		return false;
	size_t n_names = 0;
	char **names = file_list(a, path, &n_names, e);
	if (names)
		*out = ARENA_ARRAY(a, n_names + 1, struct lease_holder);
	for (size_t i = 0; names && i < n_names; i++) {
		if (!str_ends(str_from(names[i]), ".lock"))
			continue;
		int fd = openat(dir_fd, names[i], O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		struct lease_holder h;
		if (fd < 0)
			continue;
		if (holder_read(a, fd, &h) && is_held(fd, &h)) {
			h.is_nested = strchr(names[i], '@') != NULL;
			(*out)[(*n)++] = h;
		}
		close(fd);
	}
	close(dir_fd);
	return names != NULL;
}

struct json *lease_holder_json(struct arena *a, const struct lease_holder *h)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "key", h->key);
	json_set_i64(j, "pid", h->pid);
	json_set_i64(j, "start_time", h->start_time);
	json_set_cstr(j, "user", h->user);
	json_set_cstr(j, "command", h->command);
	json_set_cstr(j, "note", h->note);
	json_set_cstr(j, "since", h->since);
	json_set_bool(j, "nested", h->is_nested);
	return j;
}
