/* GPU work by the nesting of its launch calls: closed answers, an oracle that looks at every scope for every launch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "read/kineto/scope.h"

struct fix {
	struct arena a;
	struct buf b;
	struct kineto_trace *t;
	struct kineto_scopes s;
	unsigned n_events;
};

static void begin(struct fix *f)
{
	*f = (struct fix){0};
	arena_init(&f->a);
	buf_init(&f->b);
	buf_puts(&f->b, "{\"schemaVersion\": 1, \"traceEvents\": [");
}

static void scope(struct fix *f, const char *cat, const char *name, int tid, int64_t from, int64_t to)
{
	f->n_events++;
	buf_printf(&f->b,
		   "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 1, \"tid\": %d, \"ts\": %lld.%03lld, "
		   "\"dur\": "
		   "%lld.%03lld, \"args\": {\"External id\": %u}}",
		   f->n_events > 1 ? ",\n" : "", cat, name, tid, (long long)from / 1000, (long long)from % 1000,
		   (long long)(to - from) / 1000, (long long)(to - from) % 1000, f->n_events);
}

/* As scope, with a number of autograd; forward_thread above 0: a backward node. */
static void node(struct fix *f, const char *name, const int v[3], int64_t from, int64_t to)
{
	scope(f, "cpu_op", name, v[0], from, to);
	f->b.n -= 2;
	buf_printf(&f->b, ", \"Sequence number\": %d, \"Fwd thread id\": %d}}", v[1], v[2]);
}

/* A launch call at a time, and what it starts. */
static void launch(struct fix *f, int tid, int64_t at, unsigned correlation, int64_t dur)
{
	buf_printf(
		&f->b,
		"%s{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": %d, "
		"\"ts\": %lld.%03lld, \"dur\": 0.001, \"args\": {\"correlation\": %u}},\n{\"ph\": \"X\", \"cat\": "
		"\"kernel\", \"name\": \"k%u\", \"pid\": 0, \"tid\": 7, \"ts\": %u, \"dur\": %lld.%03lld, \"args\": "
		"{\"device\": 0, \"stream\": 7, \"correlation\": %u}}",
		f->n_events > 1 ? ",\n" : "", tid, (long long)at / 1000, (long long)at % 1000, correlation,
		correlation % 5, 1000000 + 1000 * correlation, (long long)dur / 1000, (long long)dur % 1000,
		correlation);
}

static void end(struct fix *f)
{
	struct err e = {0};
	struct kineto_options o = {.flags = KINETO_SCOPES | KINETO_ONE_THREAD};
	buf_puts(&f->b, "]}");
	int fd = file_memfd("scopes", f->b.n, &e);
	assert_true(fd >= 0 && pwrite(fd, f->b.p, f->b.n, 0) == (ssize_t)f->b.n);
	f->t = kineto_read(arena_printf(&f->a, "/proc/self/fd/%d", fd), &o, &e);
	close(fd);
	if (!f->t)
		fail_msg("%s", e.text);
	kineto_scopes(&f->s, &f->a, f->t);
}

static void done(struct fix *f)
{
	kineto_free(f->t);
	buf_release(&f->b);
	arena_release(&f->a);
}

static const struct kineto_scope_row *row(const struct fix *f, enum kineto_scope_kind kind, const char *name)
{
	for (size_t i = 0; i < f->s.n; i++)
		if (f->s.v[i].kind == kind && str_is(f->s.v[i].name, name))
			return &f->s.v[i];
	fail_msg("no %s %s", kineto_scope_name(kind), name);
	return NULL;
}

static void check(const struct kineto_scope_row *r, int64_t total, int64_t self, int64_t backward)
{
	if (r->total_ns != total || r->self_ns != self || r->backward_ns != backward)
		fail_msg("%.*s: %lld %lld %lld", STR_ARG(r->name), (long long)r->total_ns, (long long)r->self_ns,
			 (long long)r->backward_ns);
}

static void forward_and_backward(void **state)
{
	struct fix f;
	(void)state;
	begin(&f);
	scope(&f, "cpu_op", "aten::copy_", 3, 0, 5000); /* another thread, open all the time: has nothing */
	scope(&f, "user_annotation", "ProfilerStep#1", 1, 0, 1000);
	scope(&f, "python_function", "nn.Module: Net_0", 1, 10, 400);
	scope(&f, "python_function", "nn.Module: Linear_0", 1, 20, 200);
	scope(&f, "python_function", "model.py(12): forward", 1, 21, 199);
	node(&f, "aten::linear", (int[]){1, 5, 0}, 30, 100);
	node(&f, "aten::addmm", (int[]){1, 5, 0}, 40, 90);
	launch(&f, 1, 50, 1, 100);
	launch(&f, 1, 95, 2, 7);   /* in linear, no longer in addmm */
	launch(&f, 1, 100, 3, 11); /* linear has ended */
	launch(&f, 1, 300, 4, 13); /* in Net_0 only */
	launch(&f, 9, 50, 5, 17);  /* a thread without scopes */
	node(&f, "autograd::engine::evaluate_function: AddmmBackward0", (int[]){2, 5, 1}, 500, 600);
	node(&f, "AddmmBackward0", (int[]){2, 5, 1}, 505, 595);
	scope(&f, "cpu_op", "aten::mm", 2, 510, 590);
	launch(&f, 2, 520, 6, 50);
	launch(&f, 2, 530, 7, 60);
	node(&f, "LostBackward0", (int[]){2, 99, 1}, 700, 800);
	launch(&f, 2, 710, 8, 3);
	end(&f);
	check(row(&f, KINETO_OPERATOR, "aten::addmm"), 100, 100, 110);
	check(row(&f, KINETO_OPERATOR, "aten::linear"), 107, 7, 110);
	check(row(&f, KINETO_MODULE, "Linear_0"), 118, 118, 110);
	check(row(&f, KINETO_MODULE, "Net_0"), 131, 13, 110);
	check(row(&f, KINETO_ANNOTATION, "ProfilerStep#1"), 131, 131, 110);
	check(row(&f, KINETO_OPERATOR, "aten::mm"), 110, 110, 0);
	check(row(&f, KINETO_OPERATOR, "AddmmBackward0"), 110, 0, 0);
	check(row(&f, KINETO_OPERATOR, "LostBackward0"), 3, 3, 0);
	check(row(&f, KINETO_OPERATOR, "aten::copy_"), 0, 0, 0);
	assert_int_equal(f.s.n, 10);
	assert_int_equal(f.s.n_unmatched, 1);
	assert_int_equal(f.s.all_ns, 261);
	assert_int_equal(f.s.outside_ns[KINETO_OPERATOR], 11 + 13 + 17);
	assert_int_equal(f.s.outside_ns[KINETO_MODULE], 17 + 110 + 3);
	assert_int_equal(f.s.outside_ns[KINETO_ANNOTATION], 17 + 110 + 3);
	assert_int_equal(row(&f, KINETO_MODULE, "Net_0")->host_ns, 390);
	assert_int_equal(row(&f, KINETO_MODULE, "Net_0")->host_self_ns, 210);
	assert_int_equal(row(&f, KINETO_OPERATOR, "aten::linear")->host_self_ns, 20);
	done(&f);
}

/* A sequence number is its thread's: with two threads that have it, nothing says which one is meant. */
static void two_forward_threads(void **state)
{
	struct fix f;
	(void)state;
	begin(&f);
	node(&f, "aten::mul", (int[]){1, 7, 0}, 10, 20);
	node(&f, "aten::mul", (int[]){2, 7, 0}, 10, 20);
	node(&f, "aten::add", (int[]){1, 8, 0}, 30, 40);
	node(&f, "aten::add", (int[]){1, 8, 0}, 900, 950); /* of a later pass: began after the node */
	node(&f, "MulBackward0", (int[]){3, 7, 1}, 100, 200);
	launch(&f, 3, 110, 1, 5);
	node(&f, "AddBackward0", (int[]){3, 8, 1}, 300, 400);
	launch(&f, 3, 310, 2, 9);
	end(&f);
	check(row(&f, KINETO_OPERATOR, "aten::mul"), 0, 0, 0);
	check(row(&f, KINETO_OPERATOR, "aten::add"), 0, 0, 9);
	assert_int_equal(f.s.n_unmatched, 1);
	done(&f);
}

/* n operators, each in the one before, each launches 2^level ns (level modulo 20): total and self in closed form. */
static void nested(void **state)
{
	(void)state;
	for (int recursive = 0; recursive < 2; recursive++) {
		struct fix f;
		int64_t all = 0;
		begin(&f);
		for (int i = 0; i < 60; i++) {
			scope(&f, "cpu_op", recursive ? "op" : arena_printf(&f.a, "op%d", i), 4, 10 * i, 2000 - 10 * i);
			launch(&f, 4, 10 * i + 1, (unsigned)i + 1, (int64_t)1 << i % 20);
			all += (int64_t)1 << i % 20;
		}
		end(&f);
		assert_int_equal(f.s.all_ns, all);
		if (recursive) {
			const struct kineto_scope_row *r = row(&f, KINETO_OPERATOR, "op");
			check(r, all, all, 0);
			assert_true(r->n_calls == 60 && r->n == 60 && r->host_ns == 2000 && r->host_self_ns == 2000);
		}
		for (int i = 59, sum = 0; i >= 0 && !recursive; i--) {
			const struct kineto_scope_row *r = row(&f, KINETO_OPERATOR, arena_printf(&f.a, "op%d", i));
			sum += 1 << i % 20;
			check(r, sum, 1 << i % 20, 0);
			assert_true(r->n_calls == 1 && r->n == (uint64_t)(60 - i) && r->host_ns == 2000 - 20 * i);
			assert_int_equal(r->host_self_ns, i == 59 ? 2000 - 20 * 59 : 20);
		}
		done(&f);
	}
}

static int drawn_number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (int)(*seed >> 34);
}

struct drawn {
	int kind, name, tid;
	int64_t from, to;
};

static bool is_open(const struct drawn *s, int tid, int64_t at)
{
	return s->tid == tid && s->from <= at && at < s->to;
}

/* Scopes that are nested, side by side, empty and partly overlapping, on three threads; every launch against every scope. */
static void against_an_oracle(void **state)
{
	static const char *const cats[] = {"cpu_op", "python_function", "user_annotation"};
	static const char *const forms[] = {"op", "nn.Module: M_", "note"}, *const names[] = {"op", "M_", "note"};
	uint64_t seed = 7;
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct fix f;
		struct drawn v[120];
		int64_t total[3][6] = {{0}}, self[3][6] = {{0}}, outside[3] = {0};
		begin(&f);
		for (size_t i = 0; i < COUNT_OF(v); i++) {
			v[i] = (struct drawn){drawn_number(&seed) % 3, drawn_number(&seed) % 6, drawn_number(&seed) % 3,
					      4 * (drawn_number(&seed) % 500), 0};
			if (i < 18) /* each name at least once */
				v[i].kind = (int)i / 6, v[i].name = (int)i % 6;
			v[i].to = v[i].from + 4 * (drawn_number(&seed) % (drawn_number(&seed) % 2 ? 20 : 300));
			/* distinct starts a thread: the order of equal ones is tested above */
			for (size_t k = 0; k < i; k++)
				if (v[k].tid == v[i].tid && v[k].from == v[i].from)
					v[i].to = v[i].from;
			scope(&f, cats[v[i].kind], arena_printf(&f.a, "%s%d", forms[v[i].kind], v[i].name), v[i].tid,
			      v[i].from, v[i].to);
		}
		for (unsigned n = 1; n <= 80; n++) {
			int64_t at = drawn_number(&seed) % 2200, dur = 1 + drawn_number(&seed) % 100;
			int tid = drawn_number(&seed) % 4;
			launch(&f, tid, at, n, dur);
			for (int kind = 0; kind < 3; kind++) {
				const struct drawn *inner = NULL;
				bool has[6] = {false};
				for (size_t i = 0; i < COUNT_OF(v); i++) {
					if (v[i].kind != kind || !is_open(&v[i], tid, at))
						continue;
					has[v[i].name] = true;
					inner = inner && inner->from > v[i].from ? inner : &v[i];
				}
				for (int k = 0; k < 6; k++)
					total[kind][k] += has[k] ? dur : 0;
				*(inner ? &self[kind][inner->name] : &outside[kind]) += dur;
			}
		}
		end(&f);
		for (int kind = 0; kind < 3; kind++) {
			int64_t sum = outside[kind];
			assert_int_equal(f.s.outside_ns[kind], outside[kind]);
			for (int k = 0; k < 6; k++) {
				check(row(&f, (enum kineto_scope_kind)kind, arena_printf(&f.a, "%s%d", names[kind], k)),
				      total[kind][k], self[kind][k], 0);
				sum += self[kind][k];
			}
			assert_int_equal(sum, f.s.all_ns);
		}
		done(&f);
	}
}

/* What no program writes: no crash, no time out of nothing. */
static void hostile(void **state)
{
	struct fix f;
	(void)state;
	begin(&f);
	for (int i = 0; i < 5000; i++)
		scope(&f, "cpu_op", "deep", 1, i, 20000 - i);
	launch(&f, 1, 6000, 1, 5);
	scope(&f, "cpu_op", "backwards", 2, 500, 400);
	launch(&f, 2, 450, 2, 7);
	buf_puts(
		&f.b,
		", {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"far\", \"pid\": 1, \"tid\": 1, \"ts\": 9e15, "
		"\"dur\": 9e15}, "
		"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"timeless\", \"pid\": 1, \"tid\": 1}, {\"ph\": \"X\", "
		"\"cat\": \"cpu_op\", \"name\": \"nameless number\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 0, "
		"\"args\": "
		"{\"Sequence number\": \"x\", \"Fwd thread id\": -3}}");
	end(&f);
	check(row(&f, KINETO_OPERATOR, "deep"), 5, 5, 0);
	check(row(&f, KINETO_OPERATOR, "backwards"), 0, 0, 0);
	assert_int_equal(f.s.n_deep, 1);
	assert_int_equal(f.s.outside_ns[KINETO_OPERATOR], 7);
	done(&f);
	begin(&f);
	end(&f);
	assert_int_equal(f.s.n, 0);
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forward_and_backward),
		cmocka_unit_test(two_forward_threads),
		cmocka_unit_test(nested),
		cmocka_unit_test(against_an_oracle),
		cmocka_unit_test(hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
