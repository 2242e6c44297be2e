/* PyTorch traces: forms of five eras, every fault that is known from the field, compression, twins, generated answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "base/file.h"
#include "read/kineto/inflate.h"
#include "read/kineto/internal.h"
#include "read/kineto/table.h"

struct fix {
	char path[64];
	struct arena a;
	struct kineto_trace *t;
	struct err e;
};

static void store_file(struct fix *f, const void *p, size_t n)
{
	memcpy(f->path, "/tmp/assay-kineto-XXXXXX", 25);
	int fd = mkstemp(f->path);
	assert_true(fd >= 0);
	assert_true(write(fd, p, n) == (ssize_t)n);
	close(fd);
	arena_init(&f->a);
	f->e = (struct err){0};
}

static void done(struct fix *f)
{
	kineto_free(f->t);
	arena_release(&f->a);
	unlink(f->path);
}

static void read_bytes(struct fix *f, const void *p, size_t n, unsigned flags)
{
	struct kineto_options o = {.flags = flags};
	store_file(f, p, n);
	f->t = kineto_read(f->path, &o, &f->e);
}

/* Reads with one thread and with two; both must say the same. */
static void read_text(struct fix *f, const char *text)
{
	struct fix g;
	read_bytes(&g, text, strlen(text), 0);
	read_bytes(f, text, strlen(text), KINETO_ONE_THREAD);
	if (!f->t || !g.t)
		fail_msg("%s", f->t ? g.e.text : f->e.text);
	struct buf b, c;
	buf_init(&b);
	buf_init(&c);
	json_write(&b, kineto_json(f->t, &f->a, 0), JSON_COMPACT);
	json_write(&c, kineto_json(g.t, &g.a, 0), JSON_COMPACT);
	assert_string_equal(b.p, c.p);
	buf_release(&b);
	buf_release(&c);
	done(&g);
}

static const struct kineto_row *row(struct kineto_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->n; i++)
		if (str_is(rows->v[i].name, name))
			return &rows->v[i];
	fail_msg("no row %s", name);
	return NULL;
}

static const char modern[] =
	"{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H200\"}], \"username\": "
	"\"secret\",\n"
	"\"traceEvents\": [\n"
	"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 9, \"tid\": 9, \"ts\": 100.000, "
	"\"dur\": 50.5, "
	"\"args\": {\"External id\": 7, \"Input Dims\": [[1], [\"]}\"]]}},\n"
	"{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#3\", \"pid\": 9, \"tid\": 9, \"ts\": "
	"90, \"dur\": "
	"100, \"args\": {}},\n"
	"{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 9, \"tid\": 9, \"ts\": "
	"110.001, "
	"\"dur\": 5, \"args\": {\"External id\": 7, \"cbid\": 211, \"correlation\": 41}},\n"
	"{\"ph\": \"s\", \"id\": 41, \"pid\": 9, \"tid\": 9, \"ts\": 110, \"cat\": \"ac2g\", \"name\": \"ac2g\"},\n"
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k<{lambda()#1}, \\\"x\\\">\", \"pid\": 0, \"tid\": 7, "
	"\"ts\": 120.125, "
	"\"dur\": 30.250, \"args\": {\"External id\": 7, \"device\": 0, \"stream\": 7, \"correlation\": 41, "
	"\"registers per "
	"thread\": 32, \"shared memory\": 16, \"grid\": [4, 5, 6], \"block\": [128, 1, 1]}},\n"
	"{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD (Pinned -> Device)\", \"pid\": 0, \"tid\": "
	"7, \"ts\": "
	"200, \"dur\": 2, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": 99, \"bytes\": 4096, \"memory "
	"bandwidth "
	"(GB/s)\": nan}},\n"
	"{\"ph\": \"X\", \"cat\": \"overhead\", \"name\": \"Buffer\", \"pid\": -1, \"tid\": 0, \"ts\": 1, \"dur\": "
	"7},\n"
	"{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0, \"pid\": 9, \"args\": {\"name\": \"python\"}}\n"
	"], \"baseTimeNanoseconds\": 1767189312000000000, \"traceName\": \"/tmp/x\"}";

static void modern_form(void **state)
{
	(void)state;
	struct fix f;
	struct kineto_rows rows;
	read_text(&f, modern);
	const struct kineto_trace *t = f.t;
	assert_int_equal(t->trust.n_events, 8);
	assert_int_equal(t->n_activities, 2);
	const struct kineto_activity *k = &t->activities[0];
	assert_true(str_is(t->names[k->name], "k<{lambda()#1}, \"x\">"));
	assert_true(k->start_ns == 120125 && k->dur_ns == 30250 && k->kind == KINETO_KERNEL &&
		    (k->flags & KINETO_LINKED));
	const struct kineto_config *c = &t->configs[k->config];
	assert_true(c->grid[0] == 4 && c->grid[2] == 6 && c->block[0] == 128 && c->registers == 32 &&
		    c->shared_bytes == 16);
	assert_true(t->configs[t->activities[1].config].bytes == 4096);
	assert_true(t->lanes[k->lane].stream == 7 && t->lanes[k->lane].device == 0);
	assert_int_equal(kineto_launch_of(t, 41)->start_ns, 110001);
	assert_true(str_is(t->names[kineto_operator(t, k)], "aten::mm"));
	assert_int_equal(kineto_operator(t, &t->activities[1]), UINT32_MAX);
	assert_int_equal(t->trust.n_unlinked, 1);
	assert_int_equal(t->trust.n_metadata, 1);
	assert_int_equal(t->trust.n_flows, 1);
	assert_int_equal(t->trust.overhead_ns, 7000);
	assert_true(t->has_base && t->base_ns == 1767189312000000000);
	assert_true(t->first_ns == 120125 && t->last_ns == 202000);
	assert_true(json_path(t->meta, "deviceProperties.0.name") != NULL);
	assert_null(json_get(t->meta, "username"));
	kineto_by_operator(&rows, &f.a, t);
	assert_int_equal(row(&rows, "aten::mm")->total_ns, 30250);
	assert_int_equal(row(&rows, "aten::mm")->calls_ns, 50500);
	assert_true(rows.n_left == 1 && rows.left_ns == 2000 && rows.total_ns == 32250);
	kineto_by_step(&rows, &f.a, t);
	assert_int_equal(row(&rows, "ProfilerStep#3")->n, 1);
	kineto_by_category(&rows, &f.a, t);
	assert_int_equal(row(&rows, "memcpy HtoD")->total_ns, 2000);
	assert_int_equal(row(&rows, "compute")->n, 1);
	done(&f);
}

static void old_forms(void **state)
{
	(void)state;
	struct fix f;
	/* 2021: other categories, strings for numbers, integer time; then absolute nanoseconds of 2024 */
	read_text(&f, "[{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"a\",\"pid\":0,\"tid\":\"stream "
		      "7\",\"ts\":1623212388476227,\"dur\":2,"
		      "\"args\":{\"device\":0,\"stream\":7,\"correlation\":\"345\",\"external id\":50}},"
		      "{\"args\":{\"correlation\":5,\"stream\":1,\"device\":0},\"cat\":\"kernel\",\"dur\":\"1.5\","
		      "\"name\":\"b\",\"ph\":\"X\","
		      "\"pid\":0,\"tid\":1,\"ts\":1712195495521130.028},");
	assert_int_equal(f.t->n_activities, 2);
	assert_int_equal(f.t->activities[0].start_ns, 1623212388476227000);
	assert_int_equal(f.t->activities[0].correlation, 345);
	assert_int_equal(f.t->activities[0].external, 50);
	assert_int_equal(f.t->activities[1].start_ns, 1712195495521130028); /* a double would give ...130.000 */
	assert_int_equal(f.t->activities[1].dur_ns, 1500);
	assert_int_equal(f.t->trust.n_string_numbers, 2);
	assert_false(f.t->trust.is_torn); /* the last bracket of a bare array is optional */
	done(&f);
	read_text(&f, "\xef\xbb\xbf "
		      "{\"traceEvents\":{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"gpu_memset\",\"name\":\"m\",\"ts\":1,"
		      "\"dur\":1}], \"x\":[{}]}, \"y\": 3}");
	assert_int_equal(f.t->n_activities, 1);
	assert_int_equal(f.t->n_unmodeled, 2);
	done(&f);
}

#define K(name, ts, dur)                                                                                               \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts ",\"dur\":" dur "}"
#define TRACE(events) "{\"traceEvents\":[" events "]}"

/* what each broken text must give: kernels found and one counter */
static const struct {
	const char *text;
	size_t n_kernels;
	size_t counter; /* offset in struct kineto_trust */
	uint64_t count;
} faults[] = {
#define COUNTER(field) offsetof(struct kineto_trust, field)
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"C:\\path\\kernel\",\"ts\":1,\"dur\":1}," K("b", "2", "1")),
	 2, COUNTER(n_bad_escapes), 2},
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\n\"name\":\"a \n b\",\"ts\":1,\"dur\":1},\n" K("b", "2", "1")), 2,
	 COUNTER(n_raw_breaks), 1},
	{TRACE("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"say \"hi\" now\",\"ts\":1,\"dur\":1},\n" K("b", "2", "1")),
	 1, COUNTER(n_events), 2},
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"odd \" quote\",\n\"ts\":1,\"dur\":1},\n" K("b", "2", "1")),
	 2, COUNTER(n_raw_breaks), 1},
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"lost,\n\"ts\":1,\"dur\":1},\n" K("b", "2",
											     "1") "," K("c", "3", "1")),
	 2, COUNTER(n_bad_numbers), 1},
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\nb\",\"ts\":1,\"dur\":1} ! " K("b", "2", "1")), 1,
	 COUNTER(n_resyncs), 1},
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\nb\",\"ts\":1,\"dur\":1} ! " K("b", "2", "1")), 1,
	 COUNTER(lost_bytes), 56},
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"cut off\n" K("b", "2", "1") ",\n" K("c", "3", "1")), 2,
	 COUNTER(n_raw_breaks), 1},
	{TRACE(K("a", "nan", "1") "," K("b", "2", "1")), 1, COUNTER(n_not_finite), 1},
	{TRACE(K("a", "1", "Infinity") "," K("b", "2", "1")), 2, COUNTER(n_not_finite), 1},
	{TRACE(K("a", "1", "-5") "," K("b", "2", "1")), 2, COUNTER(n_negative), 1},
	{TRACE(K("a", "0", "0") "," K("b", "2", "1")), 2, COUNTER(n_zero), 1},
	{TRACE(K("a", "1.0005", "1")), 1, COUNTER(n_precision), 1},
	{TRACE(K("a", "1.5e3", "1")), 1, COUNTER(n_precision), 1},
	{TRACE(K("a", "99999999999999999999", "1")), 0, COUNTER(n_bad_numbers), 1},
	{TRACE(K("a", "1", "1") ",,," K("b", "2", "1") ","), 2, COUNTER(n_resyncs), 0},
	{TRACE("null, 3, \"x\", [1], " K("b", "2", "1")), 1, COUNTER(n_other), 1},
	{TRACE("{}, {\"ph\":\"X\"}, {\"cat\":\"kernel\"}, {\"ph\":\"Q\"}, " K("b", "2", "1")), 1, COUNTER(n_other), 3},
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"args\":{\"correlation\":3,"
	       "\"correlation\":4}}"),
	 1, COUNTER(n_duplicate_keys), 1},
	{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"args\":{\"correlation\":"
	       "8589934593}}"),
	 1, COUNTER(n_wide_ids), 1},
	{TRACE("{\"ph\":\"X\",\"cat\":\"new_kind\",\"name\":\"a\",\"ts\":1,\"dur\":1}," K("b", "2", "1")), 1,
	 COUNTER(n_other), 1},
	{TRACE(K("a", "1", "10") "," K("b", "5", "1")), 2, COUNTER(n_overlapping), 1},
};

static void every_fault(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(faults); i++) {
		struct fix f;
		uint64_t v;
		read_text(&f, faults[i].text);
		memcpy(&v, (const char *)&f.t->trust + faults[i].counter, sizeof v);
		if (f.t->n_activities != faults[i].n_kernels || v != faults[i].count)
			fail_msg("%zu: %zu kernels, counter %llu: %s", i, f.t->n_activities, (unsigned long long)v,
				 faults[i].text);
		if (faults[i].counter == COUNTER(n_duplicate_keys))
			assert_int_equal(f.t->activities[0].correlation, 3); /* the first one */
		done(&f);
	}
}

/* 60 normal kernels of 10 us and one whose end was lost: 5 s, over 100 times the median, across its stream's next start */
static void suspect(void **state)
{
	(void)state;
	struct buf b;
	struct fix f;
	buf_init(&b);
	buf_puts(&b, "{\"traceEvents\":[");
	for (int i = 0; i < 60; i++)
		buf_printf(&b,
			   "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%s},",
			   1000 + 20 * i, i == 30 ? "5000000" : "10");
	buf_puts(&b, "]}");
	read_text(&f, b.p);
	assert_int_equal(f.t->trust.n_suspect, 1);
	assert_int_equal(f.t->trust.suspect_ns, 5000000000 - 20000);
	done(&f);
	buf_release(&b);
}

static void graphs(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, TRACE("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaGraphLaunch\",\"ts\":1,\"dur\":1,"
			    "\"args\":{\"correlation\":5}},"
			    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaGraphLaunch\",\"ts\":3,\"dur\":1,"
			    "\"args\":{\"correlation\":6}},"
			    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"ts\":4,\"dur\":1,"
			    "\"args\":{\"correlation\":7}},"
			    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":2,\"dur\":1,\"args\":{"
			    "\"correlation\":5}},"
			    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\",\"ts\":4,\"dur\":1,"
			    "\"args\":{\"correlation\":5}}"));
	const struct kineto_trust *u = &f.t->trust;
	assert_true(u->n_graph_launches == 2 && u->n_graph_kernels == 2 && u->n_graph_empty == 1 &&
		    u->n_empty_launches == 2);
	assert_int_equal(kineto_launch_of(f.t, 5)->n_activities, 2);
	assert_true(f.t->activities[1].flags & KINETO_COLLECTIVE);
	done(&f);
}

static void rocm_shape(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, TRACE("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"ts\":1,\"dur\":1,"
			    "\"args\":{\"correlation\":5,"
			    "\"grid\":\"[3, 2, 1]\",\"block\":[128,1,1],\"shared memory\":\"64\"}},"
			    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":2,\"dur\":1,\"args\":{"
			    "\"correlation\":5,\"kind\":\"Dispatch Kernel\"}}"));
	const struct kineto_config *c = &f.t->configs[f.t->activities[0].config];
	assert_true(c->has == 5 && c->grid[0] == 3 && c->grid[1] == 2 && c->block[0] == 128 && c->shared_bytes == 64);
	done(&f);
}

/* Every cut: no more kernels than the whole, never an unread byte without a word. */
static void cuts(void **state)
{
	(void)state;
	size_t n = strlen(modern), most = 0;
	for (size_t i = 0; i < n; i++) {
		struct fix f;
		read_bytes(&f, modern, i, i & 1 ? KINETO_ONE_THREAD : 0);
		if (f.t) {
			assert_true(f.t->n_activities >= most);
			most = f.t->n_activities;
			assert_true(f.t->trust.is_torn);
			assert_true(f.t->trust.torn_offset <= i);
		} else {
			assert_true(f.e.code != ERR_NONE && !strchr(f.e.text, '\n'));
		}
		done(&f);
	}
	assert_int_equal(most, 2);
}

static void refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"",
					  "   ",
					  "hello",
					  "{}",
					  "{\"a\": 1}",
					  "3",
					  "{\"traceEvents\": 5}",
					  "{\"traceEvents\": [",
					  "<html>",
					  "version https://git-lfs.github.com/spec/v1\n"};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct fix f;
		read_bytes(&f, bad[i], strlen(bad[i]), 0);
		if (f.t)
			fail_msg("accepted: %s", bad[i]);
		assert_null(strchr(f.e.text, '\n'));
		assert_true(strstr(f.e.text, f.path) != NULL);
		done(&f);
	}
	assert_null(kineto_read("/nonexistent/trace.json", NULL, &(struct err){0}));
	assert_true(kineto_is_trace(STR(modern)));
	assert_false(kineto_is_trace(STR("[1, 2]")));
}

/* RULES R2.3: changed unit, future version, renamed key, extra field */
static void schema(void **state)
{
	(void)state;
	static const struct {
		const char *text, *refused; /* NULL: accepted */
		bool is_verified;
	} rows[] = {
		{"{\"displayTimeUnit\":\"us\",\"traceEvents\":[" K("a", "1", "1") "]}", "displayTimeUnit \"us\"",
		 false},
		{"{\"schemaVersion\":2,\"traceEvents\":[" K("a", "1", "1") "]}", NULL, false},
		{"{\"schemaVersion\":1,\"traceEvents\":[" K("a", "1", "1") "]}", NULL, true},
		{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,\"duration\":1}"), "\"dur\"", false},
		{TRACE("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"time\":1,\"dur\":1}"), "\"ts\"", false},
		{"{\"fancy\":[1],\"traceEvents\":[" K("a", "1", "1") "]}", NULL, true},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct fix f;
		read_bytes(&f, rows[i].text, strlen(rows[i].text), 0);
		assert_true(!f.t == (rows[i].refused != NULL));
		assert_true(f.t || strstr(f.e.text, rows[i].refused));
		assert_true(!f.t || f.t->is_verified == rows[i].is_verified);
		assert_true(!f.t || f.t->n_unmodeled == (strstr(rows[i].text, "fancy") != NULL));
		done(&f);
	}
}

static size_t gzip(char *out, size_t cap, const char *p, size_t n)
{
	z_stream z = {0};
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)cap;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	size_t used = cap - z.avail_out;
	deflateEnd(&z);
	return used;
}

static void expect_whole(const void *p, size_t n, const char *compression, const char *problem)
{
	struct fix f;
	read_bytes(&f, p, n, 0);
	if (!f.t)
		fail_msg("%s", f.e.text);
	assert_int_equal(f.t->n_activities, 2);
	assert_string_equal(f.t->compression, compression);
	if (problem)
		assert_true(str_find(f.t->trust.source_problem, str_from(problem)) != SIZE_MAX);
	else
		assert_int_equal(f.t->trust.source_problem.n, 0);
	done(&f);
}

static void compressed(void **state)
{
	(void)state;
	char z[8192], two[16384];
	size_t whole = strlen(modern), n = gzip(z, sizeof z, modern, whole);
	expect_whole(z, n, "gzip", NULL);
	memset(z + n, 0, 100); /* padding */
	expect_whole(z, n + 100, "gzip", NULL);
	memcpy(z + n, "junk", 4);
	expect_whole(z, n + 4, "gzip", "no gzip member");
	expect_whole(z, n - 3, "gzip", "cut");
	size_t first = gzip(two, sizeof two, modern, 700); /* two members */
	first += gzip(two + first, sizeof two - first, modern + 700, whole - 700);
	expect_whole(two, first, "gzip", NULL);
	size_t m = ZSTD_compress(two, sizeof two, modern, whole, 3);
	expect_whole(two, m, "zstd", NULL);
	/* zip: stored, then deflated (the gzip body without its header and trailer) */
	static const char name[] = "t.json";
	unsigned char head[30] = {'P', 'K', 3, 4, 20, 0, 0, 0, 0};
	head[18] = (unsigned char)whole;
	head[19] = (unsigned char)(whole >> 8);
	head[26] = sizeof name - 1;
	memcpy(two, head, sizeof head);
	memcpy(two + 30, name, sizeof name - 1);
	memcpy(two + 36, modern, whole);
	expect_whole(two, 36 + whole, "zip", NULL);
	head[8] = 8;
	memcpy(two, head, sizeof head);
	memcpy(two + 36, z + 10, n - 18);
	expect_whole(two, 36 + n - 18, "zip", NULL);
	head[8] = 99;
	memcpy(two, head, sizeof head);
	struct fix f;
	read_bytes(&f, two, 36 + whole, 0);
	assert_null(f.t);
	assert_non_null(strstr(f.e.text, "zip method 99"));
	done(&f);
}

/* ISA-L, where it is installed, and zlib give the same text, piece sizes of one byte included. */
static void inflaters(void **state)
{
	(void)state;
	char z[8192], out[8192];
	size_t n = gzip(z, sizeof z, modern, strlen(modern));
	for (int isal = 0; isal < 2; isal++) {
		struct inflate *d = inflate_new(INFLATE_GZIP, isal);
		assert_non_null(d);
		if (!isal)
			assert_false(inflate_is_isal(d));
		const char *in = z;
		char *to = out;
		size_t left = n;
		enum inflate_end end = INFLATE_MORE;
		for (size_t guard = 0; end == INFLATE_MORE && guard < 100000; guard++) {
			size_t one = left ? 1 : 0, room = 13;
			end = inflate_run(d, &in, &one, &to, &room);
			left = n - (size_t)(in - z);
		}
		assert_int_equal(end, INFLATE_DONE);
		assert_int_equal(to - out, strlen(modern));
		assert_memory_equal(out, modern, strlen(modern));
		inflate_restart(d);
		z[40] = (char)~z[40];
		in = z;
		left = n;
		to = out;
		size_t room = sizeof out;
		end = inflate_run(d, &in, &left, &to, &room);
		assert_true(end == INFLATE_DAMAGED || memcmp(out, modern, strlen(modern)) != 0);
		z[40] = (char)~z[40];
		inflate_free(d);
	}
}

/* 3 MB of generated events against sums made while writing; once with a memory limit that sends the arrays to a file. */
static void generated(void **state)
{
	(void)state;
	struct buf b;
	struct fix f;
	int64_t total[5] = {0};
	uint64_t n[5] = {0};
	buf_init(&b);
	buf_puts(&b, "{\n  \"traceEvents\": [\n");
	for (uint64_t i = 0; i < 12000; i++) {
		uint64_t k = (i * 2654435761u >> 7) % 5, dur = 100 + i * 7919 % 5000;
		total[k] += (int64_t)dur;
		n[k]++;
		buf_printf(&b,
			   "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op%llu\", \"pid\": 1, \"tid\": "
			   "1,\n    \"ts\": %llu.250, "
			   "\"dur\": 1,\n    \"args\": {\n      \"External id\": %llu\n    }\n  },\n",
			   (unsigned long long)k, (unsigned long long)i * 10, (unsigned long long)i + 1);
		buf_printf(&b,
			   "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"kern%llu\", \"pid\": 0, \"tid\": "
			   "7,\n    \"ts\": %llu.500, "
			   "\"dur\": %llu.%03llu,\n    \"args\": {\n      \"External id\": %llu, \"correlation\": "
			   "%llu\n    }\n  },\n",
			   (unsigned long long)k, (unsigned long long)i * 10, (unsigned long long)dur / 1000,
			   (unsigned long long)dur % 1000, (unsigned long long)i + 1, (unsigned long long)i + 1);
	}
	buf_puts(&b, "  {}\n  ]\n}\n");
	for (int limit = 0; limit < 2; limit++) {
		struct kineto_options o = {.memory = limit ? 1 << 18 : 0};
		struct kineto_rows kernels, operators;
		store_file(&f, b.p, b.n);
		f.t = kineto_read(f.path, &o, &f.e);
		assert_non_null(f.t);
		assert_int_equal(f.t->n_activities, 12000);
		assert_int_equal(f.t->store->activities.fd >= 0, limit);
		kineto_by_kernel(&kernels, &f.a, f.t);
		kineto_by_operator(&operators, &f.a, f.t);
		assert_int_equal(kernels.n, 5);
		for (size_t k = 0; k < 5; k++) {
			const char *name = arena_printf(&f.a, "kern%zu", k), *op = arena_printf(&f.a, "op%zu", k);
			assert_true(row(&kernels, name)->n == n[k] && row(&kernels, name)->total_ns == total[k]);
			assert_true(row(&operators, op)->total_ns == total[k] && row(&operators, op)->n_calls == n[k]);
		}
		done(&f);
	}
	buf_release(&b);
}

/* Sums that the Python reader json + decimal gives for the public traces. */
static const struct {
	const char *name;
	uint64_t n_events;
	size_t n_activities;
	int64_t total_ns;
	uint64_t n_unlinked, n_overlapping, n_zero;
} public_traces[] = {
#include "data/kineto/public.inc"
};

static void fixtures(void **state)
{
	(void)state;
	const char *dir = getenv("ASSAY_FIXTURES") ? getenv("ASSAY_FIXTURES") : "../shared/fixtures";
	struct arena a;
	arena_init(&a);
	if (!file_is_dir(arena_printf(&a, "%s/torch", dir))) {
		arena_release(&a);
		skip();
	}
	for (size_t i = 0; i < COUNT_OF(public_traces); i++) {
		struct err e;
		struct kineto_rows rows;
		struct kineto_trace *t =
			kineto_read(arena_printf(&a, "%s/torch/%s", dir, public_traces[i].name), NULL, &e);
		if (!t)
			fail_msg("%s", e.text);
		kineto_by_kernel(&rows, &a, t);
		if (t->trust.n_events != public_traces[i].n_events ||
		    t->n_activities != public_traces[i].n_activities || rows.total_ns != public_traces[i].total_ns ||
		    t->trust.n_unlinked != public_traces[i].n_unlinked ||
		    t->trust.n_overlapping != public_traces[i].n_overlapping ||
		    t->trust.n_zero != public_traces[i].n_zero)
			fail_msg("%s: %llu events, %zu activities, %lld ns", public_traces[i].name,
				 (unsigned long long)t->trust.n_events, t->n_activities, (long long)rows.total_ns);
		assert_int_equal(rows.n_left, 0);
		assert_false(t->trust.is_torn);
		assert_int_equal(t->trust.n_resyncs, 0);
		kineto_free(t);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modern_form), cmocka_unit_test(old_forms), cmocka_unit_test(every_fault),
		cmocka_unit_test(suspect),     cmocka_unit_test(graphs),    cmocka_unit_test(rocm_shape),
		cmocka_unit_test(cuts),        cmocka_unit_test(refused),   cmocka_unit_test(schema),
		cmocka_unit_test(compressed),  cmocka_unit_test(inflaters), cmocka_unit_test(generated),
		cmocka_unit_test(fixtures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
