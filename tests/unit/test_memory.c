/* Unit tests of loop/scope and loop/memory: one writer, several, a lost database, published documents, killed writers.
 * In: literals.
 * Out: cmocka's report.
 * Never: runs a kernel. */
#include "loop/memory.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"

struct fixture {
	struct arena a;
	struct err e;
	char dir[64];
	struct memory *m;
	struct scope scope;
};

static void open_it(struct fixture *f)
{
	f->m = memory_open(f->dir, &f->e);
	if (!f->m)
		fail_msg("%s", f->e.text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	arena_init(&f->a);
	snprintf(f->dir, sizeof f->dir, "/tmp/assay_memory_XXXXXX");
	*state = f;
	if (!mkdtemp(f->dir))
		return -1;
	open_it(f);
	f->scope.key = "cuda__solve__0123456789abcdef";
	f->scope.meta = json_object(&f->a);
	json_set_cstr(f->scope.meta, "backend", "cuda");
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct err e;
	memory_close(f->m);
	bool ok = file_remove_tree(f->dir, &e);
	arena_release(&f->a);
	free(f);
	return ok ? 0 : -1;
}

static const char FP[] = "d576b5ea15008131", FP2[] = "1111111111111111";

static bool record(struct fixture *f, const char *run, int64_t sequence, const char *fp, const char *outcome)
{
	struct json *entry = json_object(&f->a);
	char now[25];
	clock_utc_iso(now);
	json_push_str(json_set_array(entry, "tags"), STR("float4"));
	json_set_cstr(entry, "last_outcome", outcome);
	json_set_cstr(entry, "last_reason", "correctness_failed");
	json_set_i64(entry, "last_iteration", sequence);
	json_set_cstr(entry, "at", now);
	struct memory_event v = {run, sequence, &f->scope, fp, entry};
	return memory_record(f->m, &v, &f->e);
}

static const struct json *entry(struct fixture *f, const char *outcome, const char *fp)
{
	struct json *d = memory_document(f->m, &f->a, &f->e);
	if (!d)
		fail_msg("%s", f->e.text);
	return json_get(json_get(json_get(json_get(d, "scopes"), f->scope.key), outcome), fp);
}

static void assert_mirror(struct fixture *f)
{
	bool is_equal;
	assert_true(memory_verify(f->m, &is_equal, &f->e));
	assert_true(is_equal);
}

static void counts(void **state)
{
	struct fixture *f = *state;
	assert_true(record(f, "run-a", 1, FP, "rejected") && record(f, "run-a", 2, FP, "rejected"));
	assert_true(record(f, "run-a", 2, FP, "rejected")); /* a step done again: not counted again */
	assert_true(record(f, "run-b", 1, FP, "positive"));
	const struct json *x = entry(f, "rejected", FP);
	assert_int_equal(json_i64(x, "count", 0), 2);
	assert_int_equal(json_i64(x, "first_iteration", 0), 1);
	assert_int_equal(json_i64(x, "last_iteration", 0), 2);
	assert_int_equal(json_i64(x, "sequence", 0), 2);
	assert_int_equal(json_i64(entry(f, "positive", FP), "count", 0), 1);
	assert_null(entry(f, "negative", FP));
	assert_mirror(f);
	memory_close(f->m);
	open_it(f);
	assert_int_equal(json_i64(entry(f, "rejected", FP), "count", 0), 2);
}

static void reopening_and_forgetting(void **state)
{
	struct fixture *f = *state;
	size_t n;
	assert_true(record(f, "r", 1, FP, "negative") && record(f, "r", 2, FP2, "positive"));
	assert_true(memory_reopen(f->m, &f->scope, FP, "a new compiler", &f->e));
	assert_string_equal(json_str(entry(f, "reopened", FP), "because", STR("")).p, "a new compiler");
	assert_mirror(f);
	assert_true(memory_forget(f->m, NULL, FP, &n, &f->e));
	assert_int_equal(n, 1);
	assert_null(entry(f, "reopened", FP));
	assert_non_null(entry(f, "positive", FP2));
	assert_true(memory_forget(f->m, "another", NULL, &n, &f->e));
	assert_int_equal(n, 0);
	assert_true(memory_forget(f->m, f->scope.key, NULL, &n, &f->e));
	assert_int_equal(n, 1);
	assert_null(json_path(memory_document(f->m, &f->a, &f->e), "scopes.cuda__solve__0123456789abcdef"));
	assert_mirror(f);
	assert_true(record(f, "r", 2, FP2, "positive")); /* its run has said that already */
	assert_null(entry(f, "positive", FP2));
}

static const char *text_of(struct fixture *f, const char *name)
{
	struct str text;
	if (!file_read(&f->a, &text, path_join(&f->a, f->dir, name), 1 << 20, &f->e))
		fail_msg("%s", f->e.text);
	return text.p;
}

/* The database is lost: the next to open makes it again from the mirror. */
static void rebuilt(void **state)
{
	struct fixture *f = *state;
	assert_true(record(f, "r", 1, FP, "negative") && record(f, "s", 1, FP, "positive"));
	assert_true(memory_reopen(f->m, &f->scope, FP, "why not", &f->e));
	memory_close(f->m);
	static const char *const names[] = {"memory.sqlite", "memory.sqlite-wal", "memory.sqlite-shm"};
	for (size_t i = 0; i < COUNT_OF(names); i++)
		(void)unlink(path_join(&f->a, f->dir, names[i]));
	struct json *before =
		json_parse(&f->a, "mirror", str_from(text_of(f, "global_strategy_memory.json")), 0, &f->e);
	open_it(f);
	struct json *after = memory_document(f->m, &f->a, &f->e);
	struct buf x, y;
	buf_init(&x);
	buf_init(&y);
	json_write(&x, json_get(before, "scopes"), JSON_PRETTY);
	json_write(&y, json_get(after, "scopes"), JSON_PRETTY);
	assert_string_equal(x.p, y.p);
	assert_true(json_i64(after, "sequence", 0) > json_i64(before, "sequence", 0));
	assert_true(record(f, "r", 1, FP, "negative")); /* said before the loss */
	assert_int_equal(json_i64(entry(f, "negative", FP), "count", 0), 1);
	assert_mirror(f);
	buf_release(&x);
	buf_release(&y);
}

static void damaged(void **state)
{
	struct fixture *f = *state;
	memory_close(f->m);
	f->m = NULL;
	(void)unlink(path_join(&f->a, f->dir, "memory.sqlite-wal"));
	assert_true(file_write_str(
		path_join(&f->a, f->dir, "memory.sqlite"),
		STR("this is no database, it is a text of some length that stands where one was, and it is "
		    "longer than the hundred bytes of a header so that its magic is looked at"),
		&f->e));
	assert_null(memory_open(f->dir, &f->e));
	assert_int_equal(f->e.code, ERR_CORRUPT);
	assert_non_null(strstr(f->e.text, "memory.sqlite"));
	assert_null(memory_open("/proc/nowhere", &f->e));
}

static void published(void **state)
{
	static const char document[] =
		"{\"version\": 1, \"updated_at\": \"2025-03-01T10:00:00\", \"scopes\": "
		"{\"cuda__mm__no_ref__sm_90__0a\":"
		" {\"positive\": {\"d576b5ea15008131\": {\"tags\": [\"baseline\"], \"first_iteration\": 0, "
		"\"last_iteration\": 0,"
		" \"count\": 3, \"last_outcome\": \"positive\", \"last_reason\": \"baseline_seed\", \"evidence\":"
		" {\"baseline_iteration\": null, \"baseline_median_ms\": null, \"current_median_ms\": 1.5}}}, "
		"\"negative\": {},"
		" \"rejected\": {}}}}";
	struct fixture *f = *state;
	size_t n;
	struct json *d = json_parse(&f->a, "published", STR(document), JSON_STRICT, &f->e);
	assert_non_null(d);
	f->scope.key = "cuda__mm__no_ref__sm_90__0a";
	for (int i = 0; i < 2; i++) { /* the second time changes nothing */
		assert_true(memory_import(f->m, d, &n, &f->e));
		assert_int_equal(n, i == 0);
		assert_int_equal(json_i64(entry(f, "positive", FP), "count", 0), 3);
	}
	assert_string_equal(json_str(entry(f, "positive", FP), "at", STR("")).p, "2025-03-01T10:00:00");
	assert_true(record(f, "r", 1, FP, "positive"));
	assert_true(memory_import(f->m, d, &n, &f->e)); /* ours is newer: it stays */
	assert_string_equal(json_str(entry(f, "positive", FP), "last_reason", STR("")).p, "correctness_failed");
	assert_int_equal(json_i64(entry(f, "positive", FP), "count", 0), 4);
	assert_string_equal(
		json_str(json_path(memory_document(f->m, &f->a, &f->e), "scopes.cuda__mm__no_ref__sm_90__0a.meta"),
			 "backend", STR(""))
			.p,
		"cuda");
	assert_mirror(f);
	static const char *const bad[] = {
		"[]",
		"{\"scopes\": []}",
		"{\"version\": 2, \"scopes\": {}}",
		"{\"scopes\": {\"a\": 1}}",
		"{\"scopes\": {\"a\": {\"positive\": []}}}",
		"{\"scopes\": {\"a\": {\"positive\": {\"xyz\": {\"tags\": []}}}}}",
		"{\"scopes\": {\"a\": {\"rejected\": {\"d576b5ea15008131\": {}}}}}",
		"{\"scopes\": {\"a\": {\"reopened\": {\"d576b5ea15008131\": 1}}}}",
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (memory_import(f->m, json_parse(&f->a, "bad", str_from(bad[i]), JSON_STRICT, &f->e), &n, &f->e))
			fail_msg("taken: %s", bad[i]);
		assert_int_equal(f->e.code, ERR_INPUT);
	}
	assert_null(json_path(memory_document(f->m, &f->a, &f->e), "scopes.a")); /* nothing of a bad one stays */
	assert_mirror(f);
}

/* One document of each version is read for ever. */
static void stored_documents(void **state)
{
	static const struct {
		const char *path;
		size_t n;
	} cases[] = {{"tests/data/formats/strategy-memory-v1.json", 5},
		     {"tests/data/formats/strategy-memory-published.json", 2}};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		size_t n = 0;
		struct json *d = json_read_file(&f->a, cases[i].path, JSON_STRICT, &f->e);
		if (!d || !memory_import(f->m, d, &n, &f->e))
			fail_msg("%s: %s", cases[i].path, f->e.text);
		assert_int_equal(n, cases[i].n);
	}
	assert_mirror(f);
}

enum { WRITERS = 8, UPDATES = 12 };

static void writer(struct fixture *f, int i)
{
	struct memory *m = memory_open(f->dir, &f->e);
	f->m = m;
	for (int k = 1; m && k <= UPDATES; k++) {
		if (!record(f, arena_printf(&f->a, "run-%d", i), k, k % 2 ? FP : FP2, k % 3 ? "negative" : "positive"))
			_exit(1);
	}
	memory_close(m);
	_exit(m ? 0 : 1);
}

static void many_writers(void **state)
{
	struct fixture *f = *state;
	pid_t pids[WRITERS];
	memory_close(f->m);
	f->m = NULL;
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			writer(f, i);
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	open_it(f);
	int64_t n = json_i64(entry(f, "negative", FP), "count", 0) + json_i64(entry(f, "positive", FP), "count", 0) +
		    json_i64(entry(f, "negative", FP2), "count", 0) + json_i64(entry(f, "positive", FP2), "count", 0);
	assert_int_equal(n, WRITERS * UPDATES);
	assert_mirror(f);
}

/* A writer that is killed at any moment: the next one finds a whole memory and no temporary file. */
static void killed_writers(void **state)
{
	struct fixture *f = *state;
	memory_close(f->m);
	f->m = NULL;
	for (int i = 0; i < 6; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			struct memory *m = memory_open(f->dir, &f->e);
			f->m = m;
			for (int k = 1; m; k++)
				(void)record(f, arena_printf(&f->a, "run-%d", i), k, FP, "negative");
			_exit(1);
		}
		clock_sleep_ns(INT64_C(7000000) * (i + 1));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		open_it(f);
		assert_mirror(f);
		size_t n;
		char **names = file_list(&f->a, f->dir, &n, &f->e);
		for (size_t k = 0; names && k < n; k++) {
			if (str_starts(str_from(names[k]), ".global"))
				fail_msg("left: %s", names[k]);
		}
		memory_close(f->m);
		f->m = NULL;
	}
	open_it(f);
}

static void scopes(void **state)
{
	struct fixture *f = *state;
	struct op_dim dims[] = {{STR("M"), 512}, {STR("N"), 1000}};
	struct op_case c = {.dims = dims, .n_dims = 2};
	struct param params[] = {{.name = STR("x"), .dtype = DTYPE_F32, .role = PARAM_IN, .flags = PARAM_POINTER},
				 {.name = STR("y"), .dtype = DTYPE_F16, .role = PARAM_OUT, .flags = PARAM_POINTER}};
	struct operator op = {.entry = STR("solve"),
			      .backend = BACKEND_CUDA,
			      .cases = &c,
			      .n_cases = 1,
			      .params = params,
			      .n_params = 2};
	struct scope base, other;
	scope_make(&base, &f->a, &op, "sm_90");
	assert_true(str_starts(str_from(base.key), "cuda__solve__"));
	assert_string_equal(json_str(base.meta, "dtype", STR("")).p, "float32+float16");
	scope_make(&other, &f->a, &op, "sm_90");
	assert_string_equal(base.key, other.key);
	scope_make(&other, &f->a, &op, "sm_100");
	assert_string_not_equal(base.key, other.key);
	dims[1].value = 1001;
	scope_make(&other, &f->a, &op, "sm_90");
	assert_string_not_equal(base.key, other.key);
	dims[1].value = 1000;
	op.reference = (struct operator_file){.path = "ref.py", .sha256 = "aa"};
	scope_make(&other, &f->a, &op, "sm_90");
	assert_string_not_equal(base.key, other.key);
	op.reference.path = NULL;
	params[1].dtype = DTYPE_F32;
	scope_make(&other, &f->a, &op, "sm_90");
	assert_string_not_equal(base.key, other.key);
	struct json *device = json_object(&f->a);
	json_set_cstr(device, "name", "Some CPU");
	assert_string_equal(scope_sm(&f->a, device), "cpu:Some CPU");
	json_set_cstr(device, "compute_capability", "12.0");
	assert_string_equal(scope_sm(&f->a, device), "sm_120");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(counts),    TEST(reopening_and_forgetting), TEST(rebuilt),      TEST(damaged),
		TEST(published), TEST(stored_documents),         TEST(many_writers), TEST(killed_writers),
		TEST(scopes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
