/* Journals: append-only JSON lines with a chain of sums.
 * In: events. Out: lines that are on the disk, or a replay that stops where a writer died.
 * A line's sum covers the sum before it, so lines cannot be changed, dropped or moved unseen (short of a whole rewrite).
 * Never: cuts anything but a tail after which no whole line follows. */
#include "store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "store/failpoint.h"

#define SUM_DIGITS 16
#define SUM_MARK ",\"~sum\":\""
#define SUM_MARK_BYTES (sizeof(SUM_MARK) - 1)
#define TAIL_BYTES (SUM_MARK_BYTES + SUM_DIGITS + 2) /* ,"~sum":"0123456789abcdef"} */

struct chain {
	char sum[SUM_DIGITS + 1]; /* of the last good line; sixteen zeros before the first */
	uint64_t n_lines;
};
struct journal {
	int fd;
	char *path;
	uint64_t end; /* bytes that the chain covers */
	struct chain chain;
};

static void chain_init(struct chain *c)
{
	memset(c->sum, '0', SUM_DIGITS);
	c->sum[SUM_DIGITS] = 0;
	c->n_lines = 0;
}

/* The sum of a line whose part before the mark is `body`. */
static void chain_sum(const struct chain *c, struct str body, char out[SUM_DIGITS + 1])
{
	struct sha256 h;
	char hex[SHA256_HEX];
	sha256_init(&h);
	sha256_add(&h, c->sum, SUM_DIGITS);
	sha256_add(&h, body.p, body.n);
	sha256_hex(&h, hex);
	memcpy(out, hex, SUM_DIGITS);
	out[SUM_DIGITS] = 0;
}

/* Splits a line (without its newline) at the mark. */
static bool line_split(struct str line, struct str *body, struct str *sum)
{
	if (line.n < TAIL_BYTES + 2 || line.n > JOURNAL_MAX_LINE)
		return false;
	const char *tail = line.p + line.n - TAIL_BYTES;
	*body = (struct str){line.p, line.n - TAIL_BYTES};
	*sum = (struct str){tail + SUM_MARK_BYTES, SUM_DIGITS};
	return line.p[0] == '{' && memcmp(tail, SUM_MARK, SUM_MARK_BYTES) == 0 && line.p[line.n - 2] == '"' &&
	       line.p[line.n - 1] == '}';
}

static bool line_continues(const struct chain *c, struct str line, char sum[SUM_DIGITS + 1])
{
	struct str body, have;
	if (!line_split(line, &body, &have))
		return false;
	chain_sum(c, body, sum);
	return memcmp(have.p, sum, SUM_DIGITS) == 0;
}

/* Is there a line in the rest that looks whole? Then the bad one before it is damage, not a torn tail. */
static bool any_whole_line(struct str rest)
{
	while (rest.n) {
		size_t end = str_find_char(rest, '\n');
		if (end == SIZE_MAX)
			return false;
		struct str body, sum;
		if (line_split(str_sub(rest, 0, end), &body, &sum))
			return true;
		rest = str_sub(rest, end + 1, rest.n);
	}
	return false;
}

/* One pass over lines. */
struct walk {
	const char *name; /* for messages */
	struct chain chain;
	journal_line *each; /* NULL: only checks */
	void *ctx;
	size_t used; /* bytes of good lines */
	struct err *e;
};

/* Gives one good line to the caller; *more turns false when it wants no others. */
static bool walk_line(struct walk *w, struct str line, bool *more)
{
	struct arena a;
	struct buf text;
	struct str body = {"", 0}, sum = {"", 0};
	struct err why = {0};
	arena_init(&a);
	buf_init(&text);
	line_split(line, &body, &sum);
	buf_str(&text, body);
	buf_char(&text, '}');
	struct json *j = json_parse(&a, w->name, buf_view(&text), JSON_STRICT, &why);
	bool ok = j && j->type == JSON_OBJECT;
	if (ok)
		*more = w->each(w->ctx, j, w->chain.n_lines);
	else
		err_set(w->e, ERR_CORRUPT, "%s: line %llu: is no JSON object", w->name,
			(unsigned long long)w->chain.n_lines + 1);
	buf_release(&text);
	arena_release(&a);
	return ok;
}

/* Walks to the end of the good lines; false when what follows is damage and not a torn tail. */
static bool walk_all(struct walk *w, struct str text)
{
	bool more = w->each != NULL;
	w->used = 0;
	while (w->used < text.n) {
		struct str rest = str_sub(text, w->used, text.n);
		size_t end = str_find_char(rest, '\n');
		char sum[SUM_DIGITS + 1];
		if (end == SIZE_MAX)
			return true;
		if (!line_continues(&w->chain, str_sub(rest, 0, end), sum)) {
			if (!any_whole_line(str_sub(rest, end + 1, rest.n)))
				return true;
			return err_set(w->e, ERR_CORRUPT, "%s: line %llu: its sum does not follow from the line before",
				       w->name, (unsigned long long)w->chain.n_lines + 1);
		}
		if (more && !walk_line(w, str_sub(rest, 0, end), &more))
			return false;
		memcpy(w->chain.sum, sum, sizeof(sum));
		w->chain.n_lines++;
		w->used += end + 1;
	}
	return true;
}

/* ---- reading ---- */

bool journal_parse(const char *name, struct str text, journal_line *each, void *ctx, uint64_t *n_torn, struct err *e)
{
	struct walk w = {.name = name, .each = each, .ctx = ctx, .e = e};
	chain_init(&w.chain);
	bool ok = walk_all(&w, text);
	if (n_torn)
		*n_torn = ok ? text.n - w.used : 0;
	return ok;
}

bool journal_replay(const char *path, journal_line *each, void *ctx, uint64_t *n_torn, struct err *e)
{
	struct file_map m = {0};
	if (n_torn)
		*n_torn = 0;
	if (!file_exists(path))
		return true;
	if (!file_map(&m, path, e))
		return false;
	bool ok = journal_parse(path, (struct str){m.p, m.n}, each, ctx, n_torn, e);
	file_unmap(&m);
	return ok;
}

/* ---- writing ---- */

static bool read_range(const struct journal *j, uint64_t from, uint64_t to, struct buf *out, struct err *e)
{
	buf_reserve(out, (size_t)(to - from));
	while (from < to) {
		ssize_t got = pread(j->fd, out->p + out->n, (size_t)(to - from), (off_t)from);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_errno(e, ERR_IO, got < 0 ? errno : EIO, "%s: cannot be read", j->path);
		out->n += (size_t)got;
		from += (uint64_t)got;
	}
	return true;
}

/* With the lock held: takes in what others appended and cuts a torn tail. */
static bool catch_up(struct journal *j, uint64_t *n_cut, struct err *e)
{
	struct stat st;
	if (fstat(j->fd, &st) != 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be looked at", j->path);
	uint64_t size = (uint64_t)st.st_size;
	if (size < j->end)
		return err_set(e, ERR_CORRUPT, "%s: is shorter than it was: %llu bytes, not %llu", j->path,
			       (unsigned long long)size, (unsigned long long)j->end);
	struct buf text;
	buf_init(&text);
	struct walk w = {.name = j->path, .chain = j->chain, .e = e};
	bool ok = read_range(j, j->end, size, &text, e) && walk_all(&w, buf_view(&text));
	buf_release(&text);
	if (!ok)
		return false;
	j->chain = w.chain;
	j->end += w.used;
	if (n_cut)
		*n_cut = size - j->end;
	if (size > j->end && ftruncate(j->fd, (off_t)j->end) != 0)
		return err_errno(e, ERR_IO, errno, "%s: its torn tail cannot be cut", j->path);
	return true;
}

static bool lock(struct journal *j, struct err *e)
{
	while (flock(j->fd, LOCK_EX) != 0) {
		if (errno != EINTR)
			return err_errno(e, ERR_SYSTEM, errno, "%s: flock", j->path);
	}
	return true;
}

static bool open_file(struct journal *j, const char *path, struct err *e)
{
	bool is_new = !file_exists(path);
	j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	struct stat st;
	if (j->fd < 0 || fstat(j->fd, &st) != 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be opened", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT, "%s: is no file", path);
	if (!is_new)
		return true;
	struct arena a;
	arena_init(&a);
	bool ok = file_fsync_dir(path_dir(&a, path), e);
	arena_release(&a);
	return ok;
}

bool journal_open(struct journal **out, const char *path, uint64_t *n_cut, struct err *e)
{
	struct journal *j = calloc(1, sizeof(*j));
	if (!j || !(j->path = strdup(path)))
		BUG("out of memory");
	j->fd = -1;
	chain_init(&j->chain);
	bool ok = open_file(j, path, e) && lock(j, e);
	if (ok) {
		ok = catch_up(j, n_cut, e);
		flock(j->fd, LOCK_UN);
	}
	*out = ok ? j : NULL;
	if (!ok)
		journal_close(j);
	return ok;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		close(j->fd);
	free(j->path);
	free(j);
}

/* With the lock held. On failure the file ends where it ended. */
static bool put_line(struct journal *j, struct str line, struct err *e)
{
	struct str rest = line;
	bool ok = !failpoint("journal.write") || err_errno(e, ERR_IO, errno, "%s: cannot be written", j->path);
	while (ok && rest.n) {
		ssize_t put = pwrite(j->fd, rest.p, rest.n, (off_t)(j->end + line.n - rest.n));
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			ok = err_errno(e, ERR_IO, put < 0 ? errno : EIO, "%s: cannot be written", j->path);
		else
			rest = str_sub(rest, (size_t)put, rest.n);
	}
	if (ok && (failpoint("journal.sync") || fdatasync(j->fd) != 0))
		ok = err_errno(e, ERR_IO, errno, "%s: fdatasync", j->path);
	if (!ok)
		(void)!ftruncate(j->fd, (off_t)j->end); /* what stays is a torn tail, which the next writer cuts */
	return ok;
}

bool journal_append(struct journal *j, const struct json *event, struct err *e)
{
	if (!event || event->type != JSON_OBJECT || event->n == 0 || json_get(event, "~sum"))
		return err_set(e, ERR_INPUT, "%s: an event is an object with a member, without \"~sum\"", j->path);
	struct buf line;
	buf_init(&line);
	json_write(&line, event, JSON_COMPACT);
	line.n--; /* the closing brace */
	bool ok = line.n + TAIL_BYTES <= JOURNAL_MAX_LINE ||
		  err_set(e, ERR_INPUT, "%s: an event of %zu bytes; at most %u fit", j->path, line.n, JOURNAL_MAX_LINE);
	if (ok && lock(j, e)) {
		char sum[SUM_DIGITS + 1];
		ok = catch_up(j, NULL, e);
		chain_sum(&j->chain, buf_view(&line), sum);
		buf_printf(&line, SUM_MARK "%s\"}\n", sum);
		ok = ok && put_line(j, buf_view(&line), e);
		if (ok) {
			memcpy(j->chain.sum, sum, sizeof(sum));
			j->chain.n_lines++;
			j->end += line.n;
		}
		flock(j->fd, LOCK_UN);
	} else {
		ok = false;
	}
	buf_release(&line);
	return ok;
}

uint64_t journal_lines(const struct journal *j)
{
	return j->chain.n_lines;
}
