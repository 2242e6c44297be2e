/* Makes an Nsight Systems export of any size: kernels and API rows of schema 3.25 with the columns that readers use.
 * In: TARGET.sqlite KERNELS API_ROWS.
 * Out: TARGET.
 * Never: a number that depends on the machine: the same arguments give the same rows. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"

#define N_KERNEL_NAMES 500
#define N_API_NAMES 30

static void check(sqlite3 *db, int rc)
{
	if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW)
		return;
	fprintf(stderr, "gen_nsys: %s\n", sqlite3_errmsg(db));
	exit(4);
}

static void run(sqlite3 *db, const char *sql)
{
	check(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void insert(sqlite3 *db, sqlite3_stmt *s, const int64_t *values, int n)
{
	for (int i = 0; i < n; i++)
		check(db, sqlite3_bind_int64(s, i + 1, values[i]));
	check(db, sqlite3_step(s));
	check(db, sqlite3_reset(s));
}

static void put_kernels(sqlite3 *db, uint64_t n)
{
	sqlite3_stmt *s;
	uint64_t state = 1;
	int64_t t = 1000000;
	check(db, sqlite3_prepare_v2(db,
				     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
				     "(?,?,0,1,7,?,281474976710656,?,?,?,0,0,32,?,1,1,256,1,1,0,0,0,0,?,0)",
				     -1, &s, NULL));
	for (uint64_t i = 0; i < n; i++) {
		uint64_t r = next_random(&state);
		int64_t name = (int64_t)(r % N_KERNEL_NAMES), d = 1000 + (int64_t)(r >> 32 & 0xffff);
		int64_t v[] = {t, t + d, (int64_t)i, name, name, name, (int64_t)(r >> 20 & 4095), (int64_t)i};
		insert(db, s, v, 8);
		t += d + (int64_t)(r >> 50 & 1023);
	}
	sqlite3_finalize(s);
}

static void put_calls(sqlite3 *db, uint64_t n)
{
	sqlite3_stmt *s;
	uint64_t state = 2;
	int64_t t = 900000;
	check(db, sqlite3_prepare_v2(
			  db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,281474976711657,?,?,0,NULL)", -1,
			  &s, NULL));
	for (uint64_t i = 0; i < n; i++) {
		uint64_t r = next_random(&state);
		int64_t d = 500 + (int64_t)(r >> 40 & 0x3fff);
		int64_t v[] = {t, t + d, (int64_t)i, 1000 + (int64_t)(r % N_API_NAMES)};
		insert(db, s, v, 4);
		t += d + (int64_t)(r >> 20 & 255);
	}
	sqlite3_finalize(s);
}

static void put_names(sqlite3 *db)
{
	char *sql;
	for (int i = 0; i < N_KERNEL_NAMES + N_API_NAMES; i++) {
		bool is_kernel = i < N_KERNEL_NAMES;
		sql = sqlite3_mprintf(
			is_kernel ? "INSERT INTO StringIds VALUES (%d, 'void kernel_%d<float, %d>(float *, int)')"
				  : "INSERT INTO StringIds VALUES (%d, 'cudaCall%d_v%d')",
			is_kernel ? i : 1000 + i - N_KERNEL_NAMES, i, 3020);
		run(db, sql);
		sqlite3_free(sql);
	}
}

int main(int argc, char **argv)
{
	sqlite3 *db;
	uint64_t n_kernels, n_calls;
	if (argc != 4 || !str_u64(str_from(argv[2]), &n_kernels) || !str_u64(str_from(argv[3]), &n_calls)) {
		fprintf(stderr, "usage: gen_nsys TARGET.sqlite KERNELS API_ROWS\n");
		return 2;
	}
	unlink(argv[1]);
	check(NULL, sqlite3_open(argv[1], &db));
	run(db,
	    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
	    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
	    "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');"
	    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER "
	    "NOT NULL,"
	    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER,"
	    "cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,"
	    "gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,"
	    "staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER "
	    "NOT NULL,"
	    "localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, graphNodeId INTEGER);"
	    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass "
	    "INTEGER,"
	    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,"
	    "callchainId INTEGER);");
	put_names(db);
	put_kernels(db, n_kernels);
	put_calls(db, n_calls);
	run(db, "COMMIT");
	sqlite3_close(db);
	return 0;
}
