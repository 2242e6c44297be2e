/* What readers give to the timeline: links, kinds, ranges, clipped ends; and the files that viewers get.
 * In: a database and traces made here. Out: pass or fail.
 * Shows that a correlation id counts inside its process only, and that nothing else links.
 * Never: needs a profiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "read/kineto/kineto.h"
#include "read/nsys/nsys.h"
#include "read/nsys/to_trace.h"
#include "timeline/chrome.h"

static char path[256];

static int setup(void **state)
{
	const char *dir = getenv("TMPDIR");
	(void)state;
	snprintf(path, sizeof(path), "%s/assay-trace-%d", dir ? dir : "/tmp", (int)getpid());
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static const char database[] =
	"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
	"INSERT INTO StringIds VALUES (1,'gemm'),(2,'ncclDevKernel_AllReduce'),(3,'cudaLaunchKernel_v7000'),"
	"(4,'cudaStreamSynchronize_v3020'),(5,'cudaEventRecord_v3020'),(6,'cudaGraphLaunch_v10000'),"
	"(7,'registered');"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId "
	"INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, "
	"graphNodeId INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,200,0,1,7,10,((41 << 24) | (1 << 48)),1,NULL),"
	"(110,210,0,1,7,10,((42 << 24) | (1 << 48)),2,NULL),(300,310,0,1,7,11,((41 << 24) | (1 << 48)),1,5),"
	"(320,330,0,1,7,11,((41 << 24) | (1 << 48)),1,6),(400,390,0,1,7,12,((41 << 24) | (1 << 48)),1,NULL),"
	"(500,510,0,1,7,99,((41 << 24) | (1 << 48)),1,NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId "
	"INTEGER, copyKind INTEGER, correlationId INTEGER, globalPid INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (600,650,0,8,1,13,((41 << 24) | (1 << 48)));"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, streamId INTEGER, "
	"deviceId INTEGER, graphId INTEGER, correlationId INTEGER, globalPid INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (700,800,7,0,3,14,((41 << 24) | (1 << 48)));"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
	"correlationId INTEGER, nameId INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (90,95,((42 << 24) | (1 << 48))+6,10,3),(80,85,((41 "
	"<< 24) | (1 << 48))+5,10,3),(81,84,((41 << 24) | (1 << 48))+5,10,3),(290,295,((41 << 24) | (1 << "
	"48))+5,11,6),(340,380,((41 << 24) | (1 << 48))+5,50,4),(385,386,((41 << 24) | (1 << 48))+5,51,5),"
	"(690,695,((41 << 24) | (1 << 48))+5,14,6);"
	"CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, "
	"domainId INTEGER, globalTid INTEGER);"
	"INSERT INTO NVTX_EVENTS VALUES (0,NULL,75,'torch',NULL,2,((41 << 24) | (1 << 48))+5),"
	"(70,400,59,'step',NULL,0,((41 << 24) | (1 << 48))+5),(75,100,59,NULL,7,2,((41 << 24) | (1 << "
	"48))+5),(5,NULL,34,'mark',NULL,0,((41 << 24) | (1 << 48))+5);"
	"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
	"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);";

static void make_database(void)
{
	sqlite3 *db;
	char *text = NULL;
	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, database, NULL, NULL, &text) != SQLITE_OK)
		fail_msg("%s", text);
	sqlite3_close(db);
}

static const struct trace_call *call_of(const struct trace *t, size_t i)
{
	return t->activities[i].call ? &t->calls[t->activities[i].call - 1] : NULL;
}

static const char *name_of(const struct trace *t, size_t i)
{
	return t->names[t->activities[i].name].p;
}

static void test_nsys(void **state)
{
	struct nsys_report r;
	struct trace t;
	struct err e = {0};
	(void)state;
	make_database();
	trace_init(&t);
	assert_true(nsys_open(&r, path, &e));
	assert_true(nsys_to_trace(&t, &r, &e));
	assert_int_equal(t.n_activities, 7); /* one ended before it started */
	assert_int_equal(t.n_left_out, 1);
	assert_int_equal(t.n_devices, 2);
	assert_int_equal(call_of(&t, 0)->start_ns, 80); /* process 41, the outer call */
	assert_int_equal(call_of(&t, 1)->start_ns, 90); /* process 42, the same correlation id */
	assert_int_equal(t.activities[1].kind, TRACE_COMM);
	assert_int_equal(t.activities[2].flags, TRACE_IN_GRAPH);
	assert_int_equal(t.activities[2].call, t.activities[3].call);
	assert_int_equal(call_of(&t, 2)->start_ns, 290);
	assert_null(call_of(&t, 4));
	assert_string_equal(name_of(&t, 5), "memcpy Host-to-Device");
	assert_int_equal(t.activities[5].kind, TRACE_COPY);
	assert_string_equal(name_of(&t, 6), "graph 3");
	assert_int_equal(t.activities[6].kind, TRACE_GRAPH);
	assert_int_equal(t.n_unlinked, 2);
	/* calls that neither launched what is there nor waited are dropped */
	assert_int_equal(t.n_calls, 5);
	assert_int_equal(t.calls[3].flags, TRACE_CALL_BLOCKS);
	assert_string_equal(t.names[t.calls[3].name].p, "cudaStreamSynchronize");
	assert_int_equal(t.n_ranges, 2);
	assert_string_equal(t.names[t.ranges[0].name].p, "step");
	assert_string_equal(t.names[t.ranges[1].name].p, "torch:registered");
	assert_int_equal(t.threads[t.ranges[0].thread].id, 5);
	assert_true(t.has_base && t.base_ns == 1700000000000000000);
	trace_release(&t);
	nsys_release(&r);
}

/* 5 kernels of 10 us; the third one's end was never recorded: it runs for 40 s over the next two. */
static const char events[] =
	"{\"schemaVersion\":1,\"baseTimeNanoseconds\":1000,\"distributedInfo\":{\"rank\":3},\"traceEvents\":["
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#4\",\"pid\":9,\"tid\":9,\"ts\":1.000,"
	"\"dur\":900.5},"
	"{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"ProfilerStep#4\",\"pid\":0,\"tid\":7,\"ts\":1,"
	"\"dur\":5},"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":9,\"tid\":9,\"ts\":2,\"dur\":5,\"args\":{"
	"\"External id\":77}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,\"ts\":3,\"dur\":2,"
	"\"args\":{\"correlation\":1,\"External id\":77}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaDeviceSynchronize\",\"pid\":9,\"tid\":9,\"ts\":6,"
	"\"dur\":1,"
	"\"args\":{\"correlation\":2}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,\"ts\":8,\"dur\":1,"
	"\"args\":{\"correlation\":3}},"
#define KERNEL(ts, dur, corr)                                                                                          \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur             \
	",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #corr "}}"
	KERNEL(10.5, 10, 1) "," KERNEL(30, 10, 0) "," KERNEL(50, 40000000, 0) "," KERNEL(70, 10, 0) "," KERNEL(90, 10,
													       0) "]}";

static void test_kineto(void **state)
{
	struct err e = {0};
	struct trace t;
	(void)state;
	assert_true(file_write_str(path, str_from(events), &e));
	struct kineto_trace *k = kineto_read(path, NULL, &e);
	assert_non_null(k);
	trace_init(&t);
	kineto_to_trace(&t, k);
	assert_int_equal(t.n_activities, 5);
	assert_int_equal(t.activities[0].start_ns, 10500);
	assert_int_equal(t.activities[2].end_ns, 70000);
	assert_int_equal(t.activities[2].flags, TRACE_CLIPPED);
	assert_int_equal(t.n_clipped, 1);
	assert_int_equal(t.clipped_ns, 50000 + INT64_C(40000000000) - 70000);
	assert_int_equal(call_of(&t, 0)->start_ns, 3000);
	assert_string_equal(t.names[t.activities[0].op - 1].p, "aten::add");
	assert_int_equal(t.activities[1].op, 0);
	assert_int_equal(t.n_unlinked, 4);
	assert_int_equal(t.n_calls, 2); /* the launch that started nothing proves nothing */
	assert_int_equal(t.calls[1].flags, TRACE_CALL_BLOCKS);
	assert_int_equal(t.n_ranges, 1); /* the one on the host */
	assert_true(t.ranges[0].is_step);
	assert_int_equal(t.ranges[0].end_ns, 901500);
	assert_int_equal(t.rank, 3);
	assert_true(t.has_base && t.base_ns == 1000);
	trace_release(&t);
	kineto_free(k);
}

static bool keep(void *ctx, const struct buf *b, struct err *e)
{
	(void)e;
	buf_str(ctx, buf_view(b));
	return true;
}

/* Names with quotes, control bytes and bytes that are no UTF-8; overlap on one stream; times below zero. */
static void test_chrome(void **state)
{
	struct trace t;
	struct arena a;
	struct buf out;
	struct err e = {0};
	struct path p;
	(void)state;
	arena_init(&a);
	buf_init(&out);
	trace_init(&t);
	uint16_t lane = trace_lane(&t, -1, 0, 0, 7);
	uint32_t odd = trace_name(&t, STR("a\"b\\c\n\xff\xc3\xa4\xe2\x82"));
	for (int64_t i = 0; i < 3; i++)
		trace_add_activity(
			&t, &(struct trace_activity){
				    .start_ns = -1500 + i * 10, .end_ns = 2000 + i * 10, .name = odd, .lane = lane});
	trace_finish(&t);
	path_make(&p, &t, NULL, &a);
	struct chrome_track track = {&t, &p, 0};
	struct chrome_sink sink = {keep, &out};
	assert_true(chrome_write(&track, 1, json_object(&a), &sink, &e));
	struct json *j = json_parse(&a, "out", buf_view(&out), JSON_STRICT, &e);
	if (!j)
		fail_msg("%s", e.text);
	const struct json *list = json_get(j, "traceEvents");
	size_t n = 0;
	double before = -1;
	for (size_t i = 0; i < list->n; i++) {
		const struct json *event = json_at(list, i);
		if (!str_is(json_str(event, "cat", STR("")), "kernel"))
			continue;
		assert_true(str_is(json_str(event, "name", STR("")),
				   "a\"b\\c\n\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd"));
		assert_true(json_f64(event, "tid", -1) != before); /* what overlaps has a row of its own */
		before = json_f64(event, "tid", -1);
		n++;
	}
	assert_int_equal(n, 3);
	assert_non_null(strstr(out.p, "\"ts\":-1.500,"));
	trace_release(&t);
	buf_release(&out);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_nsys), cmocka_unit_test(test_kineto),
					   cmocka_unit_test(test_chrome)};
	return cmocka_run_group_tests(tests, setup, teardown);
}
