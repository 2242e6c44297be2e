/* Nsight Systems exports (SQLite, any schema version): tables by name, columns by name. Pure: the file is opened read-only
 * and immutable, nothing is written beside it. A table that is absent was not traced, or nothing happened. */
#ifndef ASSAY_READ_NSYS_NSYS_H
#define ASSAY_READ_NSYS_NSYS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"

struct sqlite3;
struct sqlite3_stmt;

struct nsys_damage {
	bool is_damaged;
	char reason[240]; /* table, rows read before it, what SQLite says */
};
struct nsys_report {
	struct arena arena;
	struct str path;
	struct sqlite3 *db;
	struct map tables;          /* every table of the file; value: itself */
	struct str schema_version;  /* "3.25.0"; empty: exports of 2021 and older do not say */
	struct str product_version; /* "2026.2.1.210" */
	bool is_verified;           /* our tests cover this schema version */
	struct str derived;         /* "slimmed from SHA256" of an export that assay made; empty: an original */
	bool is_time_shifted;       /* exported with --ts-normalize or --ts-shift */
	struct map unread; /* "TABLE.column" of the tables that were read, value NULL: the column was not asked for */
	struct nsys_damage damage;
	uint64_t n_impossible; /* rows that end before they start or last more than 52 days; left out of every sum */
};

/* Whether a file begins like an SQLite database. */
bool nsys_is_database(struct str head);
/* False: no SQLite file, or one without any table of nsys. nsys_release in every case. */
MUST_USE bool nsys_open(struct nsys_report *out, const char *path, struct err *e);
void nsys_release(struct nsys_report *r);
/* The table of that name, or the highest NAME_Vn of it; NULL: absent. */
const char *nsys_table(const struct nsys_report *r, const char *name);
/* What the file holds and was not read so far: tables (ENUM_ ones apart) and columns of tables that were; in the arena. */
struct json *nsys_unread(const struct nsys_report *r, struct arena *a);
/* A string by its id; empty when there is none. Lives in the arena. */
struct str nsys_string(struct nsys_report *r, int64_t id, struct arena *a);
/* An API name as people know it: "cudaLaunchKernel_v7000" -> "cudaLaunchKernel"; _ptsz goes too. */
struct str nsys_api_name(struct str name);

#define NSYS_MAX_COLUMNS 16
struct nsys_query {
	const char *table;
	const char *const *columns;   /* names, in any case */
	size_t n_columns, n_required; /* the first n_required must be there where the table is */
};
struct nsys_cursor {
	struct nsys_report *r;
	struct sqlite3_stmt *stmt; /* NULL: the table is absent */
	const char *table;
	const char *const *columns;
	bool has[NSYS_MAX_COLUMNS]; /* the table has this column */
	uint64_t n_rows;
	bool is_broken; /* a value of another type: the scan ends with this row */
};
/* Opens a scan. A required column that is missing is an error that names it; others read as absent. An absent table is no error: the scan is empty. */
MUST_USE bool nsys_scan(struct nsys_cursor *c, struct nsys_report *r, const struct nsys_query *q, struct err *e);
/* True: a row is there. False at the end, or at damage, which is noted in the report. */
bool nsys_next(struct nsys_cursor *c);
/* An integer of the row; false: NULL or absent. A value of another type is damage: the scan ends. */
bool nsys_int(struct nsys_cursor *c, int column, int64_t *out);
/* A text of the row, until the next row; empty: NULL or absent. Any bytes. */
struct str nsys_text(struct nsys_cursor *c, int column);
double nsys_real(struct nsys_cursor *c, int column);
void nsys_close(struct nsys_cursor *c);

#define NSYS_MAX_NS (UINT64_C(1) << 52)
/* Whether a row may be counted; an impossible one is noted in the report. */
bool nsys_duration(struct nsys_report *r, int64_t start, int64_t end);
/* The quick way through a table of whole numbers: calls each(ctx, v, has) for every row with the named columns. The first
 * two are start and end; a row without them, or impossible, is left out and counted. Otherwise as nsys_scan. */
typedef void nsys_each(void *ctx, const int64_t *v, const bool *has);
MUST_USE bool nsys_fold(struct nsys_report *r, const struct nsys_query *q, nsys_each *each, void *ctx, struct err *e);

#endif
