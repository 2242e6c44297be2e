/* PyTorch traces: ids of any size, names with escapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "read/kineto/kineto.h"

struct fix {
	char path[64];
	struct kineto_trace *t;
};

static void read_text(struct fix *f, const char *text)
{
	struct err e = {ERR_NONE, ""};
	memcpy(f->path, "/tmp/assay-kineto-XXXXXX", 25);
	int fd = mkstemp(f->path);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	f->t = kineto_read(f->path, NULL, &e);
	if (!f->t)
		fail_msg("%s", e.text);
}

static void done(struct fix *f)
{
	kineto_free(f->t);
	unlink(f->path);
}

#define K(name, ts, dur)                                                                                               \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts ",\"dur\":" dur "}"
#define TRACE(events) "{\"traceEvents\":[" events "]}"

/* Ids that differ stay apart, whatever their size; digits that do not fit are no other number. */
static void large_ids(void **state)
{
	(void)state;
#define CALL(id)                                                                                                       \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"ts\":1,\"dur\":1,\"args\":{"           \
	"\"correlation\":" id "}},"
#define WORK(id)                                                                                                       \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k" id "\",\"ts\":2,\"dur\":1,\"args\":{\"correlation\":" id "}},"
	struct fix f;
	read_text(&f, TRACE(CALL("1") CALL("4294967297") CALL("9223372036854775807") WORK("1") WORK("4294967297") WORK(
			      "9223372036854775807") WORK("8589934593") WORK("18446744073709551617") WORK("1e0")));
	for (size_t i = 0; i < f.t->n_activities; i++) {
		const struct kineto_activity *a = &f.t->activities[i];
		struct str name = f.t->names[a->name];
		bool has_call =
			str_is(name, "k1") || str_is(name, "k4294967297") || str_is(name, "k9223372036854775807");
		assert_int_equal((a->flags & KINETO_LINKED) != 0, has_call);
	}
	assert_int_equal(f.t->n_launches, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(f.t->launches[i].n_activities, 1);
	assert_int_equal(f.t->trust.n_wide_ids, 5);
	done(&f);
}

static void escaped_names(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, TRACE(K("a \\ud83d\\ude00 b", "1", "1") "," K("c \\ud83d d", "2", "1") "," K(
			      "\\ude00\\ud83d", "3", "1") "," K("\\u00e9\\u20ac\\ud83d\\u0041", "4", "1")));
	assert_string_equal(f.t->names[f.t->activities[0].name].p, "a \xf0\x9f\x98\x80 b");
	assert_string_equal(f.t->names[f.t->activities[1].name].p, "c \xef\xbf\xbd d");
	assert_string_equal(f.t->names[f.t->activities[2].name].p, "\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(f.t->names[f.t->activities[3].name].p, "\xc3\xa9\xe2\x82\xac\xef\xbf\xbd"
								   "A");
	assert_int_equal(f.t->trust.n_bad_escapes, 4);
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_ids),
		cmocka_unit_test(escaped_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
