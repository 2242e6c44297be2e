/* Any bytes as a trace, plain or compressed, on one thread: never crashes; sums over rows are the sums over activities. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "read/kineto/complete.h"
#include "read/kineto/memory.h"
#include "read/kineto/rewrite.h"
#include "read/kineto/scope.h"
#include "read/kineto/table.h"
#include "timeline/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void check(const struct kineto_trace *t, struct arena *a)
{
	struct kineto_rows rows;
	int64_t total = 0;
	kineto_by_kernel(&rows, a, t);
	for (size_t i = 0; i < rows.n; i++)
		total += rows.v[i].total_ns;
	if (total != rows.total_ns || rows.n_left)
		BUG("rows do not add up");
	(void)kineto_json(t, a, 3);
}

/* Memory over time has a table; what is inside scopes of a kind, innermost, and outside of them is all of it. */
static void check_scopes(const struct kineto_trace *t, struct arena *a)
{
	struct kineto_scopes s;
	int64_t sum[KINETO_SCOPE_KINDS];
	struct sheet memory;
	kineto_memory_sheet(&memory, t, a);
	kineto_scopes(&s, a, t);
	memcpy(sum, s.outside_ns, sizeof sum);
	for (size_t i = 0; i < s.n; i++)
		sum[s.v[i].kind] += s.v[i].self_ns;
	for (unsigned k = 0; k < KINETO_SCOPE_KINDS; k++) {
		if (sum[k] != s.all_ns && s.all_ns < INT64_MAX / 2)
			BUG("scopes do not add up");
	}
}

/* The timeline of whatever was read: its path fills the span. */
static void check_timeline(const struct kineto_trace *t, struct arena *a)
{
	struct trace trace;
	struct timeline l;
	int64_t sum = 0;
	trace_init(&trace);
	kineto_to_trace(&trace, t);
	timeline_make(&l, &trace, NULL, a);
	for (unsigned k = 0; k < PATH_KINDS; k++)
		sum += l.path.kind_ns[k];
	if (sum != l.path.span_ns)
		BUG("the path has a hole");
	trace_release(&trace);
}

static bool keep(void *ctx, const struct buf *b, struct err *e)
{
	(void)e;
	buf_str(ctx, buf_view(b));
	return true;
}

static bool count(void *ctx, const struct json *event, struct err *e)
{
	(void)e;
	*(uint64_t *)ctx += event->type == JSON_OBJECT;
	return true;
}

/* Event by event: every one is an object, and a refusal is one line. */
static void check_events(const char *path, struct arena *a)
{
	struct kineto_summary s;
	struct err e = {0};
	uint64_t n = 0;
	if (kineto_each_event(&s, a, path, count, &n, &e) ? n != s.n_events
							  : e.code == ERR_NONE || strchr(e.text, '\n'))
		BUG("events");
}

/* Written again it is JSON. Escaped lone surrogates are JSON, but no UTF-8. */
static void check_rewrite(const char *path, const struct kineto_trace *t, struct arena *a, bool redacts)
{
	struct buf out;
	struct err e = {0};
	struct redact r = {0};
	struct kineto_rewritten n;
	struct kineto_rewrite o = {
		.trace = t, .mark = json_object(a), .redact = redacts ? &r : NULL, .write = keep, .ctx = &out};
	buf_init(&out);
	if (kineto_rewrite(&n, path, &o, &e) && !strstr(out.p, "\\u") && out.n < (16u << 20) &&
	    !json_parse(a, "written again", buf_view(&out), JSON_ALLOW_NAN, &e))
		BUG(e.text);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct err e = {0};
	struct kineto_options o = {.flags = KINETO_ONE_THREAD | KINETO_SCOPES | KINETO_MEMORY};
	int fd = file_memfd("fuzz", n, &e);
	if (fd < 0 || (n && pwrite(fd, p, n, 0) != (ssize_t)n))
		return 0;
	arena_init(&a);
	const char *path = arena_printf(&a, "/proc/self/fd/%d", fd);
	struct kineto_trace *t = kineto_read(path, &o, &e);
	if (t) {
		check(t, &a);
		check_scopes(t, &a);
		check_timeline(t, &a);
		check_rewrite(path, t, &a, n % 2);
	} else if (e.code == ERR_NONE || strchr(e.text, '\n')) {
		BUG("refused without a line");
	}
	kineto_free(t);
	check_events(path, &a);
	arena_release(&a);
	close(fd);
	return 0;
}
