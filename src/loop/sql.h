/* SQLite, as little of it as loop/ needs. For loop/memory*.c only. */
#ifndef ASSAY_LOOP_SQL_H
#define ASSAY_LOOP_SQL_H

#include "base/arena.h"
#include "base/err.h"

struct sql {
	struct sqlite3 *db;
	const char *path; /* for messages; not owned */
};
/* Opens or makes a database: write-ahead log, every transaction flushed, 30 s of patience with other writers. */
MUST_USE bool sql_open(struct sql *out, const char *path, struct err *e);
void sql_close(struct sql *s);
MUST_USE bool sql_run(struct sql *s, const char *statements, struct err *e); /* no parameters, no rows */

struct sql_query {
	struct sql *sql;
	struct sqlite3_stmt *stmt;
};
MUST_USE bool sql_begin(struct sql_query *q, struct sql *s, const char *statement, struct err *e);
void sql_end(struct sql_query *q);
void sql_bind_text(struct sql_query *q, int i, const char *text); /* i from 1; the text outlives the query */
void sql_bind_i64(struct sql_query *q, int i, int64_t v);
/* *has_row: the columns can be read until the next step. */
MUST_USE bool sql_step(struct sql_query *q, bool *has_row, struct err *e);
MUST_USE bool sql_finish(struct sql_query *q, struct err *e); /* steps to the end, then ends the query in every case */
struct str sql_text(struct sql_query *q, int i, struct arena *a); /* column from 0, copied */
int64_t sql_i64(struct sql_query *q, int i);
int64_t sql_changes(struct sql *s); /* rows that the last statement touched */

#endif
