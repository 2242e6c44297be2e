/* Slim and redacted exports.
 * In: an export, a window, what to take out.
 * Out: another database; deleted rows leave no bytes in it.
 * Never: changes the source. */
#include "read/nsys/rewrite.h"

#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "read/nsys/nsys.h"

struct job {
	const struct nsys_rewrite *o;
	struct nsys_rewritten *n;
	struct nsys_report r; /* the source: names of its tables */
	sqlite3 *db;          /* the copy */
	const char *to;
	struct err *e;
};

static bool failed(struct job *j, const char *what)
{
	return err_set(j->e, ERR_INPUT, "%s: %s: SQLite: %s", j->to, what,
		       j->db ? sqlite3_errmsg(j->db) : "out of memory");
}

static bool run(struct job *j, char *sql)
{
	bool ok = sql && sqlite3_exec(j->db, sql, NULL, NULL, NULL) == SQLITE_OK;
	if (!ok)
		(void)failed(j, sql ? sql : "no memory");
	sqlite3_free(sql);
	return ok;
}

static void redact_value(sqlite3_context *ctx, int n, sqlite3_value **v)
{
	struct job *j = sqlite3_user_data(ctx);
	struct buf out;
	struct str text = {(const char *)sqlite3_value_text(v[0]), (size_t)sqlite3_value_bytes(v[0])};
	(void)n;
	buf_init(&out);
	if (redact_text(j->o->redact, &out, text)) {
		j->n->n_redacted++;
		sqlite3_result_text64(ctx, out.p, out.n, SQLITE_TRANSIENT, SQLITE_UTF8);
	} else {
		sqlite3_result_value(ctx, v[0]);
	}
	buf_release(&out);
}

/* Columns of a table of the copy, as one text with newlines; in the arena. */
static struct str columns_of(struct job *j, const char *table)
{
	struct buf b;
	sqlite3_stmt *stmt = NULL;
	char *sql = sqlite3_mprintf("PRAGMA table_info(\"%w\")", table);
	buf_init(&b);
	if (sql && sqlite3_prepare_v2(j->db, sql, -1, &stmt, NULL) == SQLITE_OK) {
		while (sqlite3_step(stmt) == SQLITE_ROW)
			buf_printf(&b, "%s\n", (const char *)sqlite3_column_text(stmt, 1));
	}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	struct str text = arena_str(&j->r.arena, buf_view(&b));
	buf_release(&b);
	return text;
}

static bool has_column(struct str columns, const char *name)
{
	struct str one;
	while (str_split(&columns, '\n', &one)) {
		if (str_is(one, name))
			return true;
	}
	return false;
}

static bool is_activity(const char *table)
{
	struct str t = str_from(table);
	return str_starts(t, "CUPTI_ACTIVITY_KIND_KERNEL") || str_starts(t, "CUPTI_ACTIVITY_KIND_MEMCPY") ||
	       str_starts(t, "CUPTI_ACTIVITY_KIND_MEMSET") || str_starts(t, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
}

/* Activities first: API calls stay when their activity does. */
static bool cut_activities(struct job *j)
{
	if (!run(j, sqlite3_mprintf("CREATE TEMP TABLE kept (process INTEGER, id INTEGER, PRIMARY KEY (process, id)) "
				    "WITHOUT ROWID")))
		return false;
	for (size_t i = 0; i < j->r.tables.n; i++) {
		const char *table = j->r.tables.entries[i].key.p;
		struct str columns = columns_of(j, table);
		if (!is_activity(table) || !has_column(columns, "start"))
			continue;
		if (!run(j, sqlite3_mprintf("DELETE FROM \"%w\" WHERE start < %lld OR start >= %lld", table,
					    j->o->from_ns, j->o->to_ns)))
			return false;
		j->n->n_deleted += (uint64_t)sqlite3_changes(j->db);
		const char *process = has_column(columns, "globalPid") ? "globalPid >> 24" : "0";
		if (has_column(columns, "correlationId") &&
		    !run(j, sqlite3_mprintf("INSERT OR IGNORE INTO kept SELECT %s, correlationId FROM \"%w\" WHERE "
					    "correlationId IS NOT NULL",
					    process, table)))
			return false;
	}
	return true;
}

static bool cut_others(struct job *j)
{
	for (size_t i = 0; i < j->r.tables.n; i++) {
		const char *table = j->r.tables.entries[i].key.p;
		struct str columns = columns_of(j, table), name = str_from(table);
		bool start = has_column(columns, "start"), stamp = has_column(columns, "timestamp");
		if (is_activity(table) || str_starts(name, "TARGET_INFO") || str_starts(name, "ENUM_") ||
		    str_starts(name, "DIAGNOSTIC") || str_starts(name, "META_DATA") || (!start && !stamp))
			continue;
		const char *at = start ? "start" : "timestamp", *end = has_column(columns, "end") ? "end" : at;
		bool call = has_column(columns, "correlationId") && has_column(columns, "globalTid");
		char *keep =
			call ? sqlite3_mprintf(
				       " AND NOT EXISTS (SELECT 1 FROM kept WHERE id = correlationId AND process IN "
				       "(globalTid >> 24, 0))")
			     : sqlite3_mprintf("");
		bool ok =
			run(j, sqlite3_mprintf(
				       "DELETE FROM \"%w\" WHERE (\"%w\" >= %lld OR coalesce(\"%w\", \"%w\") < %lld)%s",
				       table, at, j->o->to_ns, end, at, j->o->from_ns, keep));
		sqlite3_free(keep);
		if (!ok)
			return false;
		j->n->n_deleted += (uint64_t)sqlite3_changes(j->db);
	}
	return true;
}

static bool redact_columns(struct job *j, const char *table)
{
	struct str columns = columns_of(j, table), one;
	while (str_split(&columns, '\n', &one)) {
		if (one.n &&
		    !run(j,
			 sqlite3_mprintf("UPDATE \"%w\" SET \"%.*w\" = assay_redact(\"%.*w\") WHERE typeof(\"%.*w\") = "
					 "'text'",
					 table, STR_ARG(one), STR_ARG(one), STR_ARG(one))))
			return false;
	}
	return true;
}

/* Values that go as a whole: environment, capture settings, names of processes, what they printed. */
static bool redact_whole(struct job *j)
{
	static const struct {
		const char *table, *column, *where;
	} rows[] = {
		{"TARGET_INFO_SYSTEM_ENV", "value", "1"},
		{"META_DATA_CAPTURE", "value", "name NOT LIKE '%VERSION%'"},
		{"META_DATA_EXPORT", "value",
		 "name NOT LIKE '%VERSION%' AND name NOT LIKE '%PARAM%' AND name NOT LIKE '%TIME%'"},
		{"EXPORT_META_DATA", "value",
		 "name NOT LIKE '%VERSION%' AND name NOT LIKE '%PARAM%' AND name NOT LIKE '%TIME%'"},
		{"PROCESSES", "name", "1"},
		{"ANALYSIS_FILE", "filename", "1"},
		{"ANALYSIS_FILE", "content", "1"},
		{"StringIds", "value",
		 "id IN (SELECT filenameId FROM ProcessStreams UNION SELECT contentId FROM ProcessStreams)"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool streams = str_is(str_from(rows[i].table), "StringIds");
		struct str columns = nsys_table(&j->r, rows[i].table) ? columns_of(j, rows[i].table) : (struct str){0};
		if (!has_column(columns, rows[i].column) ||
		    (streams && (!nsys_table(&j->r, "ProcessStreams") ||
				 !has_column(columns_of(j, "ProcessStreams"), "contentId"))))
			continue;
		if (!run(j,
			 sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = '" REDACTED "' WHERE \"%w\" IS NOT NULL AND (%s)",
					 rows[i].table, rows[i].column, rows[i].column, rows[i].where)))
			return false;
		j->n->n_redacted += (uint64_t)sqlite3_changes(j->db);
	}
	return true;
}

static bool redact_all(struct job *j)
{
	if (sqlite3_create_function(j->db, "assay_redact", 1, SQLITE_UTF8, j, redact_value, NULL, NULL) != SQLITE_OK)
		return failed(j, "redaction");
	if (!redact_whole(j))
		return false;
	for (size_t i = 0; i < j->r.tables.n; i++) {
		if (!redact_columns(j, j->r.tables.entries[i].key.p))
			return false;
	}
	return true;
}

static bool put_mark(struct job *j)
{
	if (!run(j, sqlite3_mprintf("CREATE TABLE IF NOT EXISTS ASSAY_MARK (name TEXT, value TEXT)")))
		return false;
	for (size_t i = 0; i < j->o->mark->n; i++) {
		const struct json_member *m = &j->o->mark->members[i];
		struct str text =
			m->value->type == JSON_STRING ? m->value->text : json_str(m->value, "version", (struct str){0});
		if (!run(j, sqlite3_mprintf("INSERT INTO ASSAY_MARK VALUES ('%.*q', '%.*q')", STR_ARG(m->key),
					    STR_ARG(text))))
			return false;
	}
	return true;
}

static bool rewrite(struct job *j)
{
	if (sqlite3_open_v2(j->to, &j->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		return failed(j, "open");
	return run(j, sqlite3_mprintf("PRAGMA journal_mode = OFF")) && run(j, sqlite3_mprintf("BEGIN")) &&
	       (!j->o->has_window || (cut_activities(j) && cut_others(j))) && (!j->o->redact || redact_all(j)) &&
	       put_mark(j) && run(j, sqlite3_mprintf("COMMIT")) && run(j, sqlite3_mprintf("VACUUM"));
}

bool nsys_rewrite(struct nsys_rewritten *out, const char *from, const char *to, const struct nsys_rewrite *o,
		  struct err *e)
{
	struct job j = {.o = o, .n = out, .to = to, .e = e};
	*out = (struct nsys_rewritten){0};
	bool ok = nsys_open(&j.r, from, e);
	if (ok) {
		char *sql = sqlite3_mprintf("VACUUM INTO %Q", to);
		if (!sql || sqlite3_exec(j.r.db, sql, NULL, NULL, NULL) != SQLITE_OK)
			ok = err_set(e, ERR_INPUT, "%s: cannot be copied to %s: SQLite: %s", from, to,
				     sqlite3_errmsg(j.r.db));
		sqlite3_free(sql);
		ok = ok && rewrite(&j);
		if (sqlite3_close(j.db) != SQLITE_OK && ok)
			ok = err_set(e, ERR_SYSTEM, "%s: cannot be closed", to);
		if (!ok)
			(void)unlink(to);
	}
	nsys_release(&j.r);
	return ok;
}
