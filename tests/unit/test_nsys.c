/* Nsight Systems exports: sheets against nsys stats, schema drift, broken files.
 * In: small databases made here; fixtures/nsys where they are.
 * Out: cmocka's verdict.
 * Never: needs nsys. */
#include "ncu_data.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "read/ncu/record.h"
#include "read/nsys/nsys.h"
#include "read/nsys/tables.h"
#include "read/nsys/tally.h"

static char path[256];

static int setup(void **state)
{
	const char *dir = getenv("TMPDIR");
	(void)state;
	snprintf(path, sizeof(path), "%s/assay-nsys-%d.sqlite", dir ? dir : "/tmp", (int)getpid());
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void make(const char *sql)
{
	sqlite3 *db;
	char *text = NULL;
	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);", NULL,
			 NULL, &text) != SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK)
		fail_msg("%s", text);
	sqlite3_close(db);
}

static size_t number_of(const char *name)
{
	for (size_t i = 0; i < TABLES_COUNT; i++) {
		if (strcmp(tables_names[i], name) == 0)
			return i;
	}
	fail_msg("no table %s", name);
	return 0;
}

static struct sheet fill(struct nsys_report *r, struct arena *a, const char *table)
{
	struct sheet s;
	struct err e = {0};
	if (!tables_fill(&s, number_of(table), r, a, &e))
		fail_msg("%s", e.text);
	return s;
}

static double cell(const struct sheet *s, const char *row, const char *column)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct sheet_cell *c = &s->cells[i * s->n_columns];
		if (!str_is(c[0].text, row))
			continue;
		for (size_t k = 0; k < s->n_columns; k++) {
			if (strcmp(s->columns[k].name, column) == 0) {
				assert_true(c[k].has);
				return c[k].v;
			}
		}
	}
	fail_msg("no row %s with a column %s", row, column);
	return 0;
}

static void test_tally(void **state)
{
	struct arena a;
	struct tally t;
	struct tally_stats s;
	(void)state;
	arena_init(&a);
	tally_init(&t, &a);
	for (int64_t i = 0; i < 100000; i++) { /* two groups, in another order than by size */
		tally_add(&t, 7, i * 7919 % 100000);
		if (i < 5)
			tally_add(&t, -1, i == 3 ? INT64_C(10000000000) : 100 + i);
	}
	assert_int_equal(t.n_groups, 2);
	tally_stats(&s, &t, &t.groups[0]);
	assert_true(s.mean_ns == 49999.5 && s.p50_ns == 49999.5 && s.p99_ns == 98999);
	assert_true(fabs(s.stddev_ns - sqrt((100000.0 * 100000 - 1) / 12 * 100000 / 99999)) < 1e-6);
	tally_stats(&s, &t, &t.groups[1]);
	assert_true(s.p50_ns == 102 && s.p99_ns == 1e10);
	assert_true(t.groups[1].max_ns == INT64_C(10000000000) && t.groups[1].min_ns == 100);
	tally_init(&t, &a);
	for (int i = 0; i < 1000; i++)
		tally_add(&t, 0, INT64_C(4000000001));
	tally_stats(&s, &t, &t.groups[0]);
	assert_true(s.stddev_ns == 0 && s.p50_ns == 4000000001.0); /* exact: no cancellation */
	arena_release(&a);
}

static void test_names(void **state)
{
	static const char *const pairs[][2] = {
		{"cudaLaunchKernel_v7000", "cudaLaunchKernel"},
		{"cudaMemcpyAsync_ptsz_v7000", "cudaMemcpyAsync_ptsz"},
		{"cudaMemcpyAsync_v3020_ptsz", "cudaMemcpyAsync"},
		{"cuLaunchKernelEx", "cuLaunchKernelEx"},
		{"cudaGetDeviceProperties_v2_v12000", "cudaGetDeviceProperties_v2"},
		{"_v1", "_v1"},
		{"v7", "v7"},
		{"", ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		struct str got = nsys_api_name(str_from(pairs[i][0]));
		if (!str_is(got, pairs[i][1]))
			fail_msg("%s: %.*s", pairs[i][0], STR_ARG(got));
	}
}

#define NAMES "INSERT INTO StringIds VALUES (1,'void k<int>(int *)'),(2,'k'),(3,'cudaLaunchKernel_v7000'),(4,'by id');"

static const char everything[] = NAMES
	"CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION','3.25.0'),('EXPORT_PARAM_TIME_SHIFT','5');"
	/* columns in another order and case than nsys has them, an unknown one between, and an older table beside */
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2 (shiny TEXT, demangledname INTEGER, \"END\" INTEGER, start "
	"INTEGER,"
	" deviceId INTEGER, globalPid INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2 VALUES ('x',1,200,100,0,16777216),('x',1,400,300,0,16777216),"
	"('x',1,350,150,1,16777216),('x',1,5,10,0,16777216),('x',1,NULL,10,0,16777216);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER,end INTEGER,copyKind INTEGER,bytes "
	"INTEGER,deviceId INTEGER,"
	"globalPid INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (180,320,1,1000,0,16777216),(500,600,77,8,0,16777216);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER,end INTEGER,bytes INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (0,10,64);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER,end INTEGER,nameId INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,7,3),(10,20,99);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER,end INTEGER,syncType INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (0,9,3),(0,1,4);"
	"CREATE TABLE NVTX_EVENTS (start INTEGER,end INTEGER,eventType INTEGER,text TEXT,textId INTEGER,domainId "
	"INTEGER);"
	"INSERT INTO NVTX_EVENTS VALUES (0,NULL,75,'NCCL',NULL,3),(0,10,59,NULL,4,0),(0,20,59,'inline',NULL,NULL),"
	"(5,15,60,'inline',NULL,3),(7,NULL,34,'mark',NULL,0),(9,19,59,'inline',NULL,NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER,end INTEGER,graphId INTEGER,deviceId "
	"INTEGER,globalPid INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (700,800,2,0,16777216);"
	"CREATE TABLE GPU_METRICS (timestamp INTEGER,typeId INTEGER,metricId INTEGER,value INTEGER);"
	"INSERT INTO GPU_METRICS VALUES (1,1,1,10),(2,1,1,30),(1,1,2,5);"
	"CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER,metricId INTEGER,metricName TEXT);"
	"INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1,1,'SM Active');"
	"CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER,text TEXT);"
	"INSERT INTO DIAGNOSTIC_EVENT VALUES (2,'No CUDA events collected.');";

static void test_tables(void **state)
{
	struct arena a;
	struct nsys_report r;
	struct err e = {0};
	(void)state;
	arena_init(&a);
	make(everything);
	if (!nsys_open(&r, path, &e))
		fail_msg("%s", e.text);
	assert_true(r.is_verified && r.is_time_shifted && !r.damage.is_damaged);
	struct sheet s = fill(&r, &a, "kernels");
	assert_int_equal(s.n_rows, 1);
	assert_true(cell(&s, "void k<int>(int *)", "total_ns") == 400 && cell(&s, "void k<int>(int *)", "count") == 3);
	assert_true(cell(&s, "void k<int>(int *)", "p50_ns") == 100 &&
		    cell(&s, "void k<int>(int *)", "time_pct") == 100);
	assert_int_equal(r.n_impossible, 1);
	struct buf unread; /* the column that nobody knows is said, the table of the older form too */
	buf_init(&unread);
	json_write(&unread, nsys_unread(&r, &a), JSON_COMPACT);
	assert_non_null(strstr(unread.p, "\"CUPTI_ACTIVITY_KIND_KERNEL_V2.shiny\""));
	assert_non_null(strstr(unread.p, "\"CUPTI_ACTIVITY_KIND_KERNEL\""));
	assert_null(strstr(unread.p, "CUPTI_ACTIVITY_KIND_KERNEL_V2.start"));
	buf_release(&unread);
	s = fill(&r, &a, "memory");
	assert_true(cell(&s, "memcpy Host-to-Device", "bytes") == 1000);
	assert_true(cell(&s, "memset", "bytes") == 64 && cell(&s, "memset", "bytes_per_second") == 6.4e9);
	assert_true(cell(&s, "memcpy kind 77", "count") == 1);
	s = fill(&r, &a, "api");
	assert_true(cell(&s, "cudaLaunchKernel", "total_ns") == 7);
	assert_true(cell(&s, "(string 99 is not in the file)", "total_ns") == 10);
	s = fill(&r, &a, "sync");
	assert_true(cell(&s, "stream", "total_ns") == 9 && cell(&s, "context", "total_ns") == 1);
	nsys_release(&r);
	arena_release(&a);
}

static void test_more_tables(void **state)
{
	struct arena a;
	struct nsys_report r;
	struct err e = {0};
	(void)state;
	arena_init(&a);
	make(everything);
	if (!nsys_open(&r, path, &e))
		fail_msg("%s", e.text);
	struct sheet s = fill(&r, &a, "nvtx");
	assert_int_equal(s.n_rows, 3);
	assert_true(cell(&s, "inline", "count") == 2 && cell(&s, "inline", "total_ns") == 30);
	assert_true(cell(&s, "by id", "total_ns") == 10 && cell(&s, "NCCL:inline", "total_ns") == 10);
	s = fill(&r, &a, "graphs");
	assert_true(cell(&s, "graph 2", "total_ns") == 100);
	s = fill(&r, &a, "gpu_metrics");
	assert_true(cell(&s, "SM Active", "mean") == 20 && cell(&s, "metric 2", "max") == 5);
	s = fill(&r, &a, "diagnostics");
	assert_true(str_is(s.cells[0].text, "warning") && str_is(s.cells[1].text, "No CUDA events collected."));
	s = fill(&r, &a, "osrt");
	assert_true(s.n_rows == 0 && strstr(s.note, "OSRT_API"));
	/* device 0: kernels 100-200 and 300-400, copy 180-320, copy 500-600, graph 700-800; the memset has no device */
	s = fill(&r, &a, "devices");
	assert_int_equal(s.n_rows, 3);
	for (size_t i = 0; i < s.n_rows; i++) {
		const struct sheet_cell *c = &s.cells[i * s.n_columns];
		if (c[0].v == 0)
			assert_true(c[4].v == 500 && c[5].v == 540 && c[6].v == 700 && c[2].v == 2);
		if (c[0].v == 1)
			assert_true(c[4].v == 200 && c[6].v == 200);
	}
	nsys_release(&r);
	arena_release(&a);
}

static void refused(const char *sql, const char *what)
{
	struct nsys_report r;
	struct arena a;
	struct sheet s;
	struct err e = {0};
	arena_init(&a);
	make(sql);
	if (nsys_open(&r, path, &e) && tables_fill(&s, 0, &r, &a, &e))
		fail_msg("accepted; expected: %s", what);
	if (!strstr(e.text, what) || strchr(e.text, '\n'))
		fail_msg("\"%s\" does not say \"%s\"", e.text, what);
	nsys_release(&r);
	arena_release(&a);
}

static void test_drift(void **state)
{
	struct nsys_report r;
	struct arena a;
	struct err e = {0};
	(void)state;
	arena_init(&a);
	refused("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (begin INTEGER, end INTEGER, demangledName INTEGER);",
		"key column \"start\" is missing; it has begin, end, demangledName");
	refused("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, label INTEGER);",
		"\"shortName\" is missing");
	refused("DROP TABLE StringIds; CREATE TABLE t (a);", "no table of an Nsight Systems export");
	/* a type that changed: the rows before it stay, the place is said */
	make(NAMES "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0,5,1),('soon',7,1),(8,9,1);");
	assert_true(nsys_open(&r, path, &e));
	assert_false(r.is_verified); /* it does not say its version */
	struct sheet s = fill(&r, &a, "kernels");
	assert_true(cell(&s, "void k<int>(int *)", "count") == 1);
	assert_true(r.damage.is_damaged);
	assert_non_null(strstr(r.damage.reason, "row 2: column start is no integer"));
	nsys_release(&r);
	make(NAMES
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName,gridX,gridY,gridZ,blockX,blockY,blockZ);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
	     "(0,5,1,2,1,1,64,1,1),(6,9,1,2,1,1,64,1,1),(10,17,1,4,1,1,64,1,1);");
	assert_true(nsys_open(&r, path, &e));
	s = fill(&r, &a, "launches");
	assert_int_equal(s.n_rows, 2);
	assert_true(str_is(s.cells[10].text, "2x1x1") && s.cells[2].v == 8 && s.cells[3].v == 2);
	assert_true(str_is(s.cells[s.n_columns + 10].text, "4x1x1") && s.cells[s.n_columns + 2].v == 7);
	nsys_release(&r);
	make("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
	     "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION','9.0.0');");
	assert_true(nsys_open(&r, path, &e));
	assert_false(r.is_verified);
	s = fill(&r, &a, "kernels");
	assert_true(s.n_rows == 0 && strstr(s.note, "no kernel was recorded"));
	nsys_release(&r);
	arena_release(&a);
}

/* Cut at every page, and bytes changed: an error of one line, or rows and damage. */
static void test_broken(void **state)
{
	struct arena a;
	struct str good;
	struct err e = {0};
	(void)state;
	arena_init(&a);
	make(NAMES "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, demangledName INTEGER);"
		   "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i, i + 5, 1 FROM n;");
	assert_true(file_read(&a, &good, path, 16u << 20, &e));
	assert_true(good.n >= 10 * 4096);
	for (size_t n = 0; n < good.n; n += 4096) {
		struct nsys_report r;
		struct sheet s;
		char *p = arena_strndup(&a, good.p, good.n);
		bool cut = n / 4096 % 2;
		if (!cut)
			memset(p + n, 0xa5, 512);
		assert_true(file_write(path, p, cut ? n : good.n, &e));
		e = (struct err){0};
		if (!nsys_open(&r, path, &e) || !tables_fill(&s, 0, &r, &a, &e))
			assert_true(*e.text && !strchr(e.text, '\n'));
		else
			assert_true(s.n_rows <= 1 && (r.damage.is_damaged || s.n_rows == 1));
		nsys_release(&r);
	}
	unlink(path);
	arena_release(&a);
}

static bool near(double ours, struct str theirs)
{
	double v;
	return str_f64(theirs, &v) && fabs(ours - v) <= 0.0500001;
}

/* name, total, count, mean, median, min, max, deviation and share of every row of `nsys stats` of 2023.4.4. */
static void compare(struct nsys_report *r, struct arena *a, const char *table, struct str csv, size_t i_name)
{
	static const char *const columns[] = {"time_pct", "total_ns", "count",  "mean_ns",
					      "p50_ns",   "min_ns",   "max_ns", "stddev_ns"};
	struct sheet s = fill(r, a, table);
	struct record row = {0};
	size_t at = str_find_char(csv, '\n') + 1, n = 0;
	if (str_starts(str_sub(csv, at, SIZE_MAX), "SKIPPED")) {
		assert_int_equal(s.n_rows, 0);
		return;
	}
	struct map seen; /* rows of one name and total come in no order */
	map_init(&seen, a);
	for (size_t i = 0; i < s.n_rows; i++) {
		const struct sheet_cell *c = &s.cells[i * s.n_columns];
		map_set(&seen, str_from(arena_printf(a, "%.*s %.0f", STR_ARG(c[0].text), c[2].v)),
			&s.cells[i * s.n_columns]);
	}
	assert_true(record_take(&row, a, csv, &at));
	while (record_take(&row, a, csv, &at) && row.n > i_name) {
		struct str name = i_name == 8 ? nsys_api_name(row.cells[i_name]) : row.cells[i_name];
		const struct sheet_cell *c =
			map_get(&seen, str_from(arena_printf(a, "%.*s %.*s", STR_ARG(name), STR_ARG(row.cells[1]))));
		if (!c)
			fail_msg("%s: nsys has %.*s with %.*s ns", table, STR_ARG(name), STR_ARG(row.cells[1]));
		for (size_t k = 0; k < COUNT_OF(columns); k++) {
			for (size_t j = 0; j < s.n_columns; j++) {
				if (strcmp(s.columns[j].name, columns[k]) == 0 && !near(c[j].v, row.cells[k]))
					fail_msg("%s: %.*s: %s %g, nsys prints %.*s", table, STR_ARG(name), columns[k],
						 c[j].v, STR_ARG(row.cells[k]));
			}
		}
		n++;
	}
	assert_int_equal(n, s.n_rows);
}

static void test_fixtures(void **state)
{
	static const char *const pages[][2] = {
		{"kernels", "cuda_gpu_kern_sum"}, {"api", "cuda_api_sum"}, {"nvtx", "nvtx_sum"}};
	const char *root = data_fixtures();
	struct arena a;
	struct err e = {0};
	size_t n, n_compared = 0;
	(void)state;
	if (!root) {
		print_message("no fixtures folder: public exports are not compared\n");
		skip();
	}
	arena_init(&a);
	char *dir = arena_printf(&a, "%s/nsys/public", root);
	char **files = file_list(&a, dir, &n, &e);
	for (size_t i = 0; files && i < n; i++) {
		struct nsys_report r;
		if (!str_ends(str_from(files[i]), ".sqlite"))
			continue;
		if (!nsys_open(&r, path_join(&a, dir, files[i]), &e))
			fail_msg("%s", e.text);
		char *stem = path_stem(&a, files[i]);
		for (size_t k = 0; k < COUNT_OF(pages); k++) {
			struct str csv = data_read(&a, arena_printf(&a, "%s/%s.%s.csv", dir, stem, pages[k][1]));
			compare(&r, &a, pages[k][0], csv, k == 2 ? 9 : 8);
		}
		/* every sheet can be made of every file */
		for (size_t k = 0; k < TABLES_COUNT; k++) {
			struct sheet s;
			struct err one = {0};
			/* one of them was cut down to a few columns */
			if (!tables_fill(&s, k, &r, &a, &one) && !strstr(one.text, "\"gridX\" is missing"))
				fail_msg("%s", one.text);
		}
		assert_false(r.damage.is_damaged);
		nsys_release(&r);
		n_compared++;
	}
	assert_true(n_compared >= 10);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tally),       cmocka_unit_test(test_names), cmocka_unit_test(test_tables),
		cmocka_unit_test(test_more_tables), cmocka_unit_test(test_drift), cmocka_unit_test(test_broken),
		cmocka_unit_test(test_fixtures),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
