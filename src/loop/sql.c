/* SQLite.
 * In: statements. Out: rows, or an err that names the database.
 * A database that is damaged, full or locked for too long is told apart, because each has another remedy.
 * Never: builds a statement from data: values are bound. */
#include "loop/sql.h"

#include <sqlite3.h>

static bool fail(struct sql *s, int rc, struct err *e)
{
	const char *why = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);
	switch (rc & 0xff) {
	case SQLITE_FULL:
		return err_set(e, ERR_NO_SPACE, "%s: %s", s->path, why);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(e, ERR_CORRUPT, "%s: %s; moved away, it is made again from global_strategy_memory.json",
			       s->path, why);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, ERR_BUSY, "%s: another process has written to it for 30 s", s->path);
	default:
		return err_set(e, ERR_IO, "%s: %s", s->path, why);
	}
}

bool sql_open(struct sql *out, const char *path, struct err *e)
{
	*out = (struct sql){.path = path};
	int rc =
		sqlite3_open_v2(path, &out->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK) {
		(void)fail(out, rc, e);
		sql_close(out);
		return false;
	}
	sqlite3_busy_timeout(out->db, 30000);
	if (sql_run(out, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF;", e))
		return true;
	sql_close(out);
	return false;
}

void sql_close(struct sql *s)
{
	sqlite3_close(s->db);
	s->db = NULL;
}

bool sql_run(struct sql *s, const char *statements, struct err *e)
{
	int rc = sqlite3_exec(s->db, statements, NULL, NULL, NULL);
	return rc == SQLITE_OK || fail(s, rc, e);
}

bool sql_begin(struct sql_query *q, struct sql *s, const char *statement, struct err *e)
{
	*q = (struct sql_query){.sql = s};
	int rc = sqlite3_prepare_v2(s->db, statement, -1, &q->stmt, NULL);
	return rc == SQLITE_OK || fail(s, rc, e);
}

void sql_end(struct sql_query *q)
{
	sqlite3_finalize(q->stmt);
	q->stmt = NULL;
}

void sql_bind_text(struct sql_query *q, int i, const char *text)
{
	if (sqlite3_bind_text(q->stmt, i, text, -1, SQLITE_STATIC) != SQLITE_OK)
		BUG("sqlite3_bind_text");
}

void sql_bind_i64(struct sql_query *q, int i, int64_t v)
{
	if (sqlite3_bind_int64(q->stmt, i, v) != SQLITE_OK)
		BUG("sqlite3_bind_int64");
}

bool sql_step(struct sql_query *q, bool *has_row, struct err *e)
{
	int rc = sqlite3_step(q->stmt);
	*has_row = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE || fail(q->sql, rc, e);
}

bool sql_finish(struct sql_query *q, struct err *e)
{
	bool has_row = true, ok = true;
	while (ok && has_row)
		ok = sql_step(q, &has_row, e);
	sql_end(q);
	return ok;
}

struct str sql_text(struct sql_query *q, int i, struct arena *a)
{
	const unsigned char *p = sqlite3_column_text(q->stmt, i);
	int n = sqlite3_column_bytes(q->stmt, i);
	if (!p)
		return STR("");
	return (struct str){arena_strndup(a, (const char *)p, (size_t)n), (size_t)n};
}

int64_t sql_i64(struct sql_query *q, int i)
{
	return sqlite3_column_int64(q->stmt, i);
}

int64_t sql_changes(struct sql *s)
{
	return sqlite3_changes64(s->db);
}
