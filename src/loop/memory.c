/* Strategy memory, global level.
 * In: outcomes of versions. Out: rows of a database and its mirror.
 * Order of a change: lock, commit, mirror, unlock; a mirror that is one change behind is written by the next one to open it.
 * Never: changes what an entry says without a change of its number. */
#include "loop/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "loop/leftover.h"
#include "loop/memory_inside.h"

const char *const memory_outcomes[3] = {"positive", "negative", "rejected"};

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS scope (key TEXT PRIMARY KEY, meta TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS entry (scope TEXT, fingerprint TEXT, outcome TEXT, data TEXT NOT NULL,"
	" PRIMARY KEY (scope, fingerprint, outcome)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS reopened (scope TEXT, fingerprint TEXT, data TEXT NOT NULL,"
	" PRIMARY KEY (scope, fingerprint)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, n_applied INTEGER NOT NULL) WITHOUT ROWID;"
	"INSERT OR IGNORE INTO state VALUES ('format', '" MEMORY_FORMAT "'), ('sequence', 0), ('mirrored', -1),"
	" ('changed_at', '');";

const char *memory_default_folder(struct arena *a)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	if (data && data[0] == '/') /* the XDG rule: a relative one is ignored */
		return arena_printf(a, "%s/assay/strategy-memory", data);
	return arena_printf(a, "%s/.local/share/assay/strategy-memory", home && *home ? home : "/tmp");
}

const char *memory_folder(const struct memory *m)
{
	return m->folder;
}

static bool take_lock(struct memory *m, struct err *e)
{
	const char *path = path_join(&m->arena, m->folder, ".lock");
	m->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (m->lock < 0)
		return err_errno(e, ERR_IO, errno, "%s: the strategy memory cannot be written", path);
	while (flock(m->lock, LOCK_EX) != 0) {
		if (errno != EINTR)
			return err_errno(e, ERR_IO, errno, "%s", path);
	}
	return true;
}

static void drop_lock(struct memory *m)
{
	if (m->lock >= 0)
		close(m->lock);
	m->lock = -1;
}

static bool read_state(struct memory *m, const char *key, struct str *out, struct arena *a, struct err *e)
{
	struct sql_query q;
	bool has_row = false;
	*out = STR("");
	if (!sql_begin(&q, &m->sql, "SELECT value FROM state WHERE key = ?1", e))
		return false;
	sql_bind_text(&q, 1, key);
	bool ok = sql_step(&q, &has_row, e);
	if (ok && has_row)
		*out = sql_text(&q, 0, a);
	sql_end(&q);
	return ok;
}

bool memory_next(struct memory *m, int64_t *sequence, const char *at, struct err *e)
{
	struct sql_query q;
	struct str text;
	if (!read_state(m, "sequence", &text, &m->arena, e))
		return false;
	if (!str_i64(text, sequence))
		return err_set(e, ERR_CORRUPT, "%s: has no sequence number", m->sql.path);
	++*sequence;
	if (!sql_begin(&q, &m->sql, "UPDATE state SET value = ?1 WHERE key = 'sequence'", e))
		return false;
	sql_bind_i64(&q, 1, *sequence);
	if (!sql_finish(&q, e) || !sql_begin(&q, &m->sql, "UPDATE state SET value = ?1 WHERE key = 'changed_at'", e))
		return false;
	sql_bind_text(&q, 1, at);
	return sql_finish(&q, e);
}

bool memory_change(struct memory *m, struct err *e)
{
	if (!take_lock(m, e))
		return false;
	if (sql_run(&m->sql, "BEGIN IMMEDIATE", e))
		return true;
	drop_lock(m);
	return false;
}

bool memory_done(struct memory *m, bool ok, struct err *e)
{
	struct err ignored;
	if (ok)
		ok = sql_run(&m->sql, "COMMIT", e);
	if (!ok && !sql_run(&m->sql, "ROLLBACK", &ignored)) {
		/* SQLite has rolled back itself: that is an error of its own there, and not one here. */
	}
	ok = ok && memory_mirror(m, e);
	drop_lock(m);
	return ok;
}

bool memory_mirror(struct memory *m, struct err *e)
{
	struct arena a;
	struct str now, mirrored;
	struct buf text;
	arena_init(&a);
	buf_init(&text);
	bool ok = read_state(m, "sequence", &now, &a, e) && read_state(m, "mirrored", &mirrored, &a, e);
	if (ok && (!str_eq(now, mirrored) || !file_exists(m->mirror))) {
		struct json *document = memory_document(m, &a, e);
		if (document)
			json_write(&text, document, JSON_PRETTY);
		ok = document && file_write_str(m->mirror, buf_view(&text), e) &&
		     sql_run(&m->sql,
			     "UPDATE state SET value = (SELECT value FROM state WHERE key = 'sequence')"
			     " WHERE key = 'mirrored'",
			     e);
	}
	buf_release(&text);
	arena_release(&a);
	return ok;
}

/* The lock is held. */
static bool open_database(struct memory *m, struct err *e)
{
	const char *path = path_join(&m->arena, m->folder, "memory.sqlite");
	bool is_new = !file_exists(path);
	struct str format;
	size_t n;
	leftover_sweep(m->folder);
	if (!sql_open(&m->sql, path, e) || !sql_run(&m->sql, schema, e) ||
	    !read_state(m, "format", &format, &m->arena, e))
		return false;
	if (!str_is(format, MEMORY_FORMAT))
		return err_set(e, ERR_UNSUPPORTED, "%s: has format %.*s, this program knows %s", path, STR_ARG(format),
			       MEMORY_FORMAT);
	if (is_new && file_exists(m->mirror)) { /* the database was lost: the mirror has what it held */
		struct json *document = json_read_file(&m->arena, m->mirror, JSON_STRICT, e);
		if (!document || !sql_run(&m->sql, "BEGIN IMMEDIATE", e))
			return false;
		if (!memory_take(m, document, &n, e) || !sql_run(&m->sql, "COMMIT", e))
			return false;
	}
	return memory_mirror(m, e);
}

struct memory *memory_open(const char *folder, struct err *e)
{
	struct memory *m = calloc(1, sizeof(*m));
	if (!m)
		BUG("out of memory");
	arena_init(&m->arena);
	m->lock = -1;
	m->folder = path_absolute(&m->arena, folder);
	m->mirror = path_join(&m->arena, m->folder, MEMORY_MIRROR);
	bool ok = file_mkdirs(m->folder, 0700, e) && take_lock(m, e) && open_database(m, e);
	drop_lock(m);
	if (ok)
		return m;
	memory_close(m);
	return NULL;
}

void memory_close(struct memory *m)
{
	if (!m)
		return;
	drop_lock(m);
	sql_close(&m->sql);
	arena_release(&m->arena);
	free(m);
}

bool memory_get(struct memory *m, const struct memory_key *k, struct json **out, struct arena *a, struct err *e)
{
	struct sql_query q;
	bool has_row = false;
	*out = NULL;
	if (!sql_begin(&q, &m->sql, "SELECT data FROM entry WHERE scope = ?1 AND fingerprint = ?2 AND outcome = ?3", e))
		return false;
	sql_bind_text(&q, 1, k->scope);
	sql_bind_text(&q, 2, k->fingerprint);
	sql_bind_text(&q, 3, k->outcome);
	bool ok = sql_step(&q, &has_row, e);
	if (ok && has_row) {
		*out = json_parse(a, m->sql.path, sql_text(&q, 0, a), JSON_STRICT, e);
		ok = *out != NULL;
	}
	sql_end(&q);
	return ok;
}

/* Two texts and a JSON value into a table of three columns and one more. */
static bool put_row(struct memory *m, const char *statement, const char *const texts[3], const struct json *data,
		    struct err *e)
{
	struct sql_query q;
	struct buf text;
	int i = 0;
	if (!sql_begin(&q, &m->sql, statement, e))
		return false;
	buf_init(&text);
	json_write(&text, data, JSON_COMPACT);
	for (; i < 3 && texts[i]; i++)
		sql_bind_text(&q, i + 1, texts[i]);
	sql_bind_text(&q, i + 1, text.p);
	bool ok = sql_finish(&q, e);
	buf_release(&text);
	return ok;
}

bool memory_put(struct memory *m, const struct memory_key *k, const struct json *data, struct err *e)
{
	const char *const texts[3] = {k->scope, k->fingerprint, k->outcome};
	return put_row(m, "INSERT OR REPLACE INTO entry VALUES (?1, ?2, ?3, ?4)", texts, data, e);
}

bool memory_put_scope(struct memory *m, const char *key, const struct json *meta, struct err *e)
{
	const char *const texts[3] = {key};
	return put_row(m, "INSERT OR IGNORE INTO scope VALUES (?1, ?2)", texts, meta, e);
}

bool memory_put_reopened(struct memory *m, const char *scope, const char *fingerprint, const struct json *data,
			 struct err *e)
{
	const char *const texts[3] = {scope, fingerprint};
	return put_row(m, "INSERT OR REPLACE INTO reopened VALUES (?1, ?2, ?3)", texts, data, e);
}

bool memory_put_run(struct memory *m, const char *run_id, int64_t n_applied, struct err *e)
{
	struct sql_query q;
	if (!sql_begin(&q, &m->sql,
		       "INSERT INTO run VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET n_applied = max(n_applied, ?2)",
		       e))
		return false;
	sql_bind_text(&q, 1, run_id);
	sql_bind_i64(&q, 2, n_applied);
	return sql_finish(&q, e);
}

static bool n_applied(struct memory *m, const char *run_id, int64_t *out, struct err *e)
{
	struct sql_query q;
	bool has_row = false;
	*out = 0;
	if (!sql_begin(&q, &m->sql, "SELECT n_applied FROM run WHERE id = ?1", e))
		return false;
	sql_bind_text(&q, 1, run_id);
	bool ok = sql_step(&q, &has_row, e);
	if (ok && has_row)
		*out = sql_i64(&q, 0);
	sql_end(&q);
	return ok;
}

static bool apply(struct memory *m, const struct memory_event *v, struct arena *a, struct err *e)
{
	struct json *before, *data = json_object(a);
	struct str outcome = json_str(v->entry, "last_outcome", STR("")), at = json_str(v->entry, "at", STR(""));
	struct memory_key k = {v->scope->key, v->fingerprint, arena_strndup(a, outcome.p, outcome.n)};
	int64_t sequence, iteration = json_i64(v->entry, "last_iteration", 0);
	if (!memory_put_scope(m, v->scope->key, v->scope->meta, e) || !memory_get(m, &k, &before, a, e) ||
	    !memory_next(m, &sequence, arena_strndup(a, at.p, at.n), e))
		return false;
	for (size_t i = 0; i < v->entry->n; i++)
		json_put(data, v->entry->members[i].key, v->entry->members[i].value);
	json_set_i64(data, "count", json_i64(before, "count", 0) + 1);
	json_set_i64(data, "first_iteration", json_i64(before, "first_iteration", iteration));
	json_set_i64(data, "sequence", sequence);
	return memory_put(m, &k, data, e) && memory_put_run(m, v->run_id, v->sequence, e);
}

bool memory_record(struct memory *m, const struct memory_event *v, struct err *e)
{
	struct arena a;
	int64_t n = 0;
	if (!memory_change(m, e))
		return false;
	arena_init(&a);
	bool ok = n_applied(m, v->run_id, &n, e);
	if (ok && n < v->sequence)
		ok = apply(m, v, &a, e);
	ok = memory_done(m, ok, e);
	arena_release(&a);
	return ok;
}

bool memory_reopen(struct memory *m, const struct scope *s, const char *fingerprint, const char *because, struct err *e)
{
	struct arena a;
	char now[25];
	int64_t sequence;
	if (!memory_change(m, e))
		return false;
	arena_init(&a);
	clock_utc_iso(now);
	struct json *data = json_object(&a);
	json_set_cstr(data, "because", because);
	json_set_cstr(data, "at", now);
	bool ok = memory_put_scope(m, s->key, s->meta, e) && memory_next(m, &sequence, now, e);
	if (ok) {
		json_set_i64(data, "sequence", sequence);
		ok = memory_put_reopened(m, s->key, fingerprint, data, e);
	}
	ok = memory_done(m, ok, e);
	arena_release(&a);
	return ok;
}

static bool delete_rows(struct memory *m, const char *statement, const char *scope, const char *fingerprint,
			size_t *n_removed, struct err *e)
{
	struct sql_query q;
	if (!sql_begin(&q, &m->sql, statement, e))
		return false;
	if (scope)
		sql_bind_text(&q, 1, scope);
	if (fingerprint)
		sql_bind_text(&q, 2, fingerprint);
	bool ok = sql_finish(&q, e);
	*n_removed += ok ? (size_t)sql_changes(&m->sql) : 0;
	return ok;
}

bool memory_forget(struct memory *m, const char *scope, const char *fingerprint, size_t *n_removed, struct err *e)
{
#define WHERE " WHERE (?1 IS NULL OR scope = ?1) AND (?2 IS NULL OR fingerprint = ?2)"
	char now[25];
	int64_t sequence;
	size_t n_reopened = 0;
	*n_removed = 0;
	if (!scope && !fingerprint)
		BUG("memory_forget of everything");
	if (!memory_change(m, e))
		return false;
	clock_utc_iso(now);
	bool ok = delete_rows(m, "DELETE FROM entry" WHERE, scope, fingerprint, n_removed, e) &&
		  delete_rows(m, "DELETE FROM reopened" WHERE, scope, fingerprint, &n_reopened, e);
	if (ok && *n_removed + n_reopened)
		ok = sql_run(&m->sql,
			     "DELETE FROM scope WHERE key NOT IN (SELECT scope FROM entry)"
			     " AND key NOT IN (SELECT scope FROM reopened)",
			     e) &&
		     memory_next(m, &sequence, now, e);
	return memory_done(m, ok, e);
}
