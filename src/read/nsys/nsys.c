/* Nsight Systems exports.
 * In: an SQLite file.
 * Out: scans over tables by column name; strings; versions.
 * Never: writes, locks, or follows a -wal file; never trusts a column's declared type. */
#include "read/nsys/nsys.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/progress.h"
#include "facts/tool.h"

/* Names and messages of a file may hold anything; an error is one line. */
static void one_line(char *text)
{
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
}

static bool refuse(struct err *e)
{
	if (e)
		one_line(e->text);
	return false;
}

bool nsys_is_database(struct str head)
{
	return head.n >= 16 && memcmp(head.p, "SQLite format 3", 16) == 0;
}

static int tick(void *ctx)
{
	(void)ctx;
	progress_tick();
	return 0;
}

static bool open_database(struct nsys_report *r, struct err *e)
{
	struct buf uri;
	buf_init(&uri);
	buf_puts(&uri, "file:");
	for (size_t i = 0; i < r->path.n; i++) {
		unsigned char c = (unsigned char)r->path.p[i];
		if (c == '%' || c == '?' || c == '#' || c < 0x20)
			buf_printf(&uri, "%%%02x", c);
		else
			buf_char(&uri, (char)c);
	}
	buf_puts(&uri, "?immutable=1");
	int rc = sqlite3_open_v2(uri.p, &r->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	buf_release(&uri);
	if (rc != SQLITE_OK)
		return err_set(e, ERR_INPUT, "%s: offset 0: cannot be opened as an SQLite database: %s", r->path.p,
			       r->db ? sqlite3_errmsg(r->db) : "out of memory");
	sqlite3_progress_handler(r->db, 1000000, tick, NULL);
	return true;
}

/* All tables; the schema is the first thing that a broken file fails at. */
static bool list_tables(struct nsys_report *r, struct err *e)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(r->db, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &stmt, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(stmt);
		if (rc != SQLITE_ROW)
			break;
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		if (name) {
			struct map_entry *at = map_set(&r->tables, str_from(name), NULL);
			at->value = arena_strdup(&r->arena, name);
		}
	}
	sqlite3_finalize(stmt);
	if (rc == SQLITE_DONE)
		return true;
	err_set(e, ERR_INPUT, "%s: offset 0: the schema cannot be read: %s", r->path.p, sqlite3_errmsg(r->db));
	return refuse(e);
}

static bool is_export(const struct nsys_report *r)
{
	static const char *const some[] = {
		"StringIds",   "META_DATA_EXPORT", "EXPORT_META_DATA", "CUPTI_ACTIVITY_KIND_KERNEL",
		"NVTX_EVENTS", "ANALYSIS_FILE",
	};
	for (size_t i = 0; i < COUNT_OF(some); i++) {
		if (nsys_table(r, some[i]))
			return true;
	}
	return false;
}

static bool equals_no_case(const char *a, const char *b)
{
	return sqlite3_stricmp(a, b) == 0;
}

static bool read_versions(struct nsys_report *r, struct err *e)
{
	static const char *const columns[] = {"name", "value"};
	const char *table = nsys_table(r, "META_DATA_EXPORT") ? "META_DATA_EXPORT" : "EXPORT_META_DATA";
	struct nsys_cursor c;
	if (!nsys_scan(&c, r, &(struct nsys_query){table, columns, 2, 2}, e))
		return false;
	while (nsys_next(&c)) {
		struct str name = nsys_text(&c, 0), value = nsys_text(&c, 1);
		/* value is text or, in some exports, a number: sqlite gives its text */
		if (str_is(name, "EXPORT_SCHEMA_VERSION"))
			r->schema_version = arena_str(&r->arena, value);
		else if (str_is(name, "EXPORT_PRODUCT_VERSION"))
			r->product_version = arena_str(&r->arena, value);
		else if (str_is(name, "EXPORT_PARAM_TIME_NORMALIZE"))
			r->is_time_shifted |= str_is(value, "true");
		else if (str_is(name, "EXPORT_PARAM_TIME_SHIFT"))
			r->is_time_shifted |= value.n && !str_is(value, "0");
	}
	nsys_close(&c);
	r->is_verified = tool_is_tested("nsys-schema", r->schema_version);
	return true;
}

static bool read_mark(struct nsys_report *r, struct err *e)
{
	static const char *const columns[] = {"name", "value"};
	struct nsys_cursor c;
	struct str kind = STR("made"), source = STR("a file that it does not name");
	if (!nsys_table(r, "ASSAY_MARK"))
		return true;
	if (!nsys_scan(&c, r, &(struct nsys_query){"ASSAY_MARK", columns, 2, 2}, e))
		return false;
	while (nsys_next(&c)) {
		if (str_is(nsys_text(&c, 0), "kind"))
			kind = arena_str(&r->arena, nsys_text(&c, 1));
		else if (str_is(nsys_text(&c, 0), "source_sha256"))
			source = arena_str(&r->arena, nsys_text(&c, 1));
	}
	r->derived = str_from(arena_printf(&r->arena, "%.*s from %.*s", STR_ARG(kind), STR_ARG(source)));
	return true;
}

static void note_wal(struct nsys_report *r)
{
	char *wal = arena_printf(&r->arena, "%s-wal", r->path.p);
	if (file_size(wal) <= 0)
		return;
	r->damage.is_damaged = true;
	snprintf(r->damage.reason, sizeof(r->damage.reason),
		 "a write-ahead log lies beside it (-wal): the program that wrote it did not finish; its rows are not "
		 "read");
}

bool nsys_open(struct nsys_report *out, const char *path, struct err *e)
{
	*out = (struct nsys_report){0};
	arena_init(&out->arena);
	map_init(&out->tables, &out->arena);
	map_init(&out->unread, &out->arena);
	out->path = arena_str(&out->arena, str_from(path));
	if (!open_database(out, e) || !list_tables(out, e))
		return false;
	if (!is_export(out))
		return err_set(e, ERR_INPUT,
			       "%s: offset 0: an SQLite database, but no table of an Nsight Systems export in it",
			       path);
	note_wal(out);
	return read_versions(out, e) && read_mark(out, e);
}

void nsys_release(struct nsys_report *r)
{
	sqlite3_close(r->db);
	arena_release(&r->arena);
	*r = (struct nsys_report){0};
}

static bool was_read(const struct nsys_report *r, struct str table)
{
	for (size_t i = 0; i < r->unread.n; i++) {
		struct str key = r->unread.entries[i].key;
		if (key.n > table.n && key.p[table.n] == '.' && str_eq(str_sub(key, 0, table.n), table))
			return true;
	}
	return false;
}

struct json *nsys_unread(const struct nsys_report *r, struct arena *a)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < r->tables.n; i++) {
		struct str name = r->tables.entries[i].key;
		if (!str_starts(name, "ENUM_") && !str_is(name, "StringIds") && !was_read(r, name))
			json_push_str(list, name);
	}
	for (size_t i = 0; i < r->unread.n; i++) {
		if (!r->unread.entries[i].value)
			json_push_str(list, r->unread.entries[i].key);
	}
	return list;
}

const char *nsys_table(const struct nsys_report *r, const char *name)
{
	const char *best = NULL;
	uint64_t best_version = 0;
	size_t n = strlen(name);
	for (size_t i = 0; i < r->tables.n; i++) {
		struct str key = r->tables.entries[i].key;
		uint64_t version = 1;
		if (key.n < n || sqlite3_strnicmp(key.p, name, (int)n) != 0)
			continue;
		struct str behind = str_sub(key, n, SIZE_MAX);
		if (behind.n && (behind.n < 3 || behind.p[0] != '_' || (behind.p[1] != 'V' && behind.p[1] != 'v') ||
				 !str_u64(str_sub(behind, 2, SIZE_MAX), &version)))
			continue;
		if (!best || version > best_version) {
			best = r->tables.entries[i].value;
			best_version = version;
		}
	}
	return best;
}

/* Which of the wanted columns the table has. */
static bool find_columns(struct nsys_cursor *c, size_t n_columns, struct buf *names)
{
	sqlite3_stmt *stmt = NULL;
	char *sql = sqlite3_mprintf("PRAGMA table_info(\"%w\")", c->table);
	int rc = sql ? sqlite3_prepare_v2(c->r->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 1);
		if (!name)
			continue;
		buf_printf(names, "%s%s", names->n ? ", " : "", name);
		struct map_entry *at =
			map_intern(&c->r->unread, str_from(arena_printf(&c->r->arena, "%s.%s", c->table, name)), NULL);
		for (size_t i = 0; i < n_columns; i++) {
			if (equals_no_case(name, c->columns[i])) {
				c->has[i] = true;
				at->value = c->r;
			}
		}
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_OK;
}

static void note_damage(struct nsys_cursor *c, const char *what)
{
	struct nsys_damage *d = &c->r->damage;
	if (d->is_damaged)
		return;
	d->is_damaged = true;
	snprintf(d->reason, sizeof(d->reason), "table %s, row %llu: %s; the rows before it are kept", c->table,
		 (unsigned long long)c->n_rows, what);
	one_line(d->reason);
}

/* Prepares "SELECT columns FROM table", or with `call` "SELECT call(columns) FROM table". */
static bool prepare(struct nsys_cursor *c, size_t n_columns, size_t n_required, const char *call, struct err *e)
{
	struct nsys_report *r = c->r;
	struct buf names, sql;
	bool ok = true;
	if (n_columns > NSYS_MAX_COLUMNS)
		BUG("too many columns");
	buf_init(&names);
	buf_init(&sql);
	if (!find_columns(c, n_columns, &names))
		note_damage(c, sqlite3_errmsg(r->db));
	buf_printf(&sql, "SELECT %s%s", call, *call ? "(" : "");
	for (size_t i = 0; i < n_columns; i++) {
		if (ok && i < n_required && !c->has[i] && !r->damage.is_damaged) {
			err_set(e, ERR_INPUT, "%s: table %s: the key column \"%s\" is missing; it has %.600s",
				r->path.p, c->table, c->columns[i], names.n ? names.p : "none");
			ok = refuse(e);
		}
		buf_printf(&sql, "%s%s%s%s", i ? ", " : "", c->has[i] ? "\"" : "", c->has[i] ? c->columns[i] : "NULL",
			   c->has[i] ? "\"" : "");
	}
	char *quoted = sqlite3_mprintf("%s%s FROM \"%w\"", sql.p, *call ? ")" : "", c->table);
	if (ok && quoted && sqlite3_prepare_v2(r->db, quoted, -1, &c->stmt, NULL) != SQLITE_OK)
		note_damage(c, sqlite3_errmsg(r->db));
	sqlite3_free(quoted);
	buf_release(&names);
	buf_release(&sql);
	return ok;
}

bool nsys_scan(struct nsys_cursor *c, struct nsys_report *r, const struct nsys_query *q, struct err *e)
{
	*c = (struct nsys_cursor){.r = r, .table = nsys_table(r, q->table), .columns = q->columns};
	return !c->table || prepare(c, q->n_columns, q->n_required, "", e);
}

struct fold {
	struct nsys_cursor *c;
	nsys_each *each;
	void *ctx;
};

/* One row, inside SQLite's machine: no row is built, no column fetched twice. */
static void fold_row(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct fold *f = sqlite3_user_data(context);
	int64_t v[NSYS_MAX_COLUMNS];
	bool has[NSYS_MAX_COLUMNS];
	has[0] = has[1] = false;
	f->c->n_rows++;
	for (int i = 0; i < n; i++) {
		int type = sqlite3_value_type(values[i]);
		has[i] = type == SQLITE_INTEGER;
		v[i] = has[i] ? sqlite3_value_int64(values[i]) : 0;
		if (!has[i] && type != SQLITE_NULL) {
			char what[96];
			snprintf(what, sizeof(what), "column %s is no integer", f->c->columns[i]);
			sqlite3_result_error(context, what, -1);
			return;
		}
	}
	if (has[0] && has[1] && nsys_duration(f->c->r, v[0], v[1]))
		f->each(f->ctx, v, has);
}

static void fold_end(sqlite3_context *context)
{
	sqlite3_result_null(context);
}

bool nsys_duration(struct nsys_report *r, int64_t start, int64_t end)
{
	if (end >= start && (uint64_t)end - (uint64_t)start <= NSYS_MAX_NS)
		return true;
	r->n_impossible++;
	return false;
}

bool nsys_fold(struct nsys_report *r, const struct nsys_query *q, nsys_each *each, void *ctx, struct err *e)
{
	struct nsys_cursor c = {.r = r, .table = nsys_table(r, q->table), .columns = q->columns};
	struct fold f = {&c, each, ctx};
	if (!c.table)
		return true;
	if (sqlite3_create_function_v2(r->db, "assay_fold", (int)q->n_columns, SQLITE_UTF8, &f, NULL, fold_row,
				       fold_end, NULL) != SQLITE_OK)
		return err_set(e, ERR_SYSTEM, "%s: SQLite: %s", r->path.p, sqlite3_errmsg(r->db));
	bool ok = prepare(&c, q->n_columns, q->n_required, "assay_fold", e);
	while (nsys_next(&c))
		c.n_rows--; /* the one row of the answer */
	return ok;
}

bool nsys_next(struct nsys_cursor *c)
{
	if (c->is_broken)
		nsys_close(c);
	if (!c->stmt)
		return false;
	int rc = sqlite3_step(c->stmt);
	if (rc == SQLITE_ROW) {
		c->n_rows++;
		return true;
	}
	if (rc != SQLITE_DONE)
		note_damage(c, sqlite3_errmsg(c->r->db));
	nsys_close(c);
	return false;
}

bool nsys_int(struct nsys_cursor *c, int column, int64_t *out)
{
	if (!c->stmt || c->is_broken)
		return false;
	sqlite3_value *v = sqlite3_column_value(c->stmt, column);
	int type = sqlite3_value_type(v);
	*out = sqlite3_value_int64(v);
	if (type == SQLITE_INTEGER)
		return true;
	if (type != SQLITE_NULL) {
		char what[96];
		snprintf(what, sizeof(what), "column %s is no integer", c->columns[column]);
		note_damage(c, what);
		c->is_broken = true; /* closed by the next step: texts of this row are still in use */
	}
	return false;
}

struct str nsys_text(struct nsys_cursor *c, int column)
{
	const unsigned char *p = c->stmt ? sqlite3_column_text(c->stmt, column) : NULL;
	return (struct str){(const char *)p, p ? (size_t)sqlite3_column_bytes(c->stmt, column) : 0};
}

double nsys_real(struct nsys_cursor *c, int column)
{
	return c->stmt ? sqlite3_column_double(c->stmt, column) : 0;
}

void nsys_close(struct nsys_cursor *c)
{
	sqlite3_finalize(c->stmt);
	c->stmt = NULL;
}

struct str nsys_string(struct nsys_report *r, int64_t id, struct arena *a)
{
	const char *table = nsys_table(r, "StringIds");
	sqlite3_stmt *stmt = NULL;
	struct str out = {NULL, 0};
	char *sql = table ? sqlite3_mprintf("SELECT value FROM \"%w\" WHERE id = ?", table) : NULL;
	if (sql && sqlite3_prepare_v2(r->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_bind_int64(stmt, 1, id) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *p = (const char *)sqlite3_column_text(stmt, 0);
		out = arena_str(a, (struct str){p, p ? (size_t)sqlite3_column_bytes(stmt, 0) : 0});
	}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return out;
}

struct str nsys_api_name(struct str name)
{
	if (str_ends(name, "_ptsz"))
		name = str_sub(name, 0, name.n - 5);
	size_t i = name.n;
	while (i && name.p[i - 1] >= '0' && name.p[i - 1] <= '9')
		i--;
	if (i < name.n && i > 2 && name.p[i - 1] == 'v' && name.p[i - 2] == '_')
		name = str_sub(name, 0, i - 2);
	return name;
}
