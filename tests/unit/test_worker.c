/* Workers as the parent sees them: peers that answer wrongly, late, never; the real worker asked in the wrong order; what
 * is left of a group. Peers are shell scripts that write what they like to the link. */
#include "fake_kit.h"

#include <signal.h>

#include "base/clock.h"
#include "base/file.h"
#include "run/ending.h"
#include "run/sandbox.h"
#include "run/watch.h"
#include "run/worker.h"
#include "wire/link.h"

#define S(n) ((int64_t)(n)*1000000000)

static struct arena arena;

/* In scripts: the frame that a message makes as bytes for printf, and the wire's version. */
#define HELLO "@HELLO@"
#define OK "@OK@"
#define VERSION "@V@"
#define ASKED "dd bs=16 count=1 <&$1 >/dev/null 2>&1; " /* takes the question of ask_ok */

static void put_frame(struct buf *out, enum wire_type type)
{
	struct wire_message m = {.type = type};
	struct buf frame;
	if (type == WIRE_TYPE_HELLO)
		m.u.hello = (struct wire_hello){WIRE_VERSION, STR("worker"), 7};
	buf_init(&frame);
	link_frame(&frame, &m);
	buf_puts(out, "printf '");
	for (size_t i = 0; i < frame.n; i++)
		buf_printf(out, "\\%03o", (unsigned)(unsigned char)frame.p[i]);
	buf_puts(out, "' >&$1; ");
	buf_release(&frame);
}

static const char *script_of(const char *text)
{
	struct buf out;
	buf_init(&out);
	while (*text) {
		if (strncmp(text, HELLO, strlen(HELLO)) == 0) {
			put_frame(&out, WIRE_TYPE_HELLO);
			text += strlen(HELLO);
		} else if (strncmp(text, OK, strlen(OK)) == 0) {
			put_frame(&out, WIRE_TYPE_OK);
			text += strlen(OK);
		} else if (strncmp(text, VERSION, strlen(VERSION)) == 0) {
			buf_printf(&out, "\\%03o", (unsigned)WIRE_VERSION);
			text += strlen(VERSION);
		} else {
			buf_char(&out, *text++);
		}
	}
	const char *script = arena_strndup(&arena, out.p, out.n);
	buf_release(&out);
	return script;
}

/* A peer that runs the script; $1 is its end of the link. */
static struct worker *peer(const char *script, const struct sandbox_plan *plan, int64_t start_ns)
{
	const char *args[] = {"-c", script_of(script), NULL};
	struct worker_options o = {.program = "/bin/sh",
				   .args = args,
				   .name = "peer",
				   .folder = kit_folder,
				   .plan = plan,
				   .start_timeout_ns = start_ns};
	struct err e = {ERR_NONE, ""};
	struct worker *w = worker_start(&o, &e);
	if (!w)
		fail_msg("%s", e.text);
	return w;
}

static enum ask_result ask_ok(struct worker *w, int64_t timeout_ns)
{
	struct wire_message m = {.type = WIRE_TYPE_COUNTERS}, answer;
	struct worker_question q = {.message = &m, .fd = -1, .expect = WIRE_TYPE_OK, .timeout_ns = timeout_ns};
	struct err e = {ERR_NONE, ""};
	enum ask_result r = worker_ask(w, &q, &answer, &e);
	if (r == ASK_ERR)
		fail_msg("%s", e.text);
	return r;
}

static void expect_word(struct worker *w, const char *word)
{
	assert_string_equal(worker_fault(w)->word, word);
	assert_false(worker_fault(w)->is_said);
	assert_false(worker_is_alive(w));
	worker_free(w);
}

static void answers(void **state)
{
	(void)state;
	struct worker *w = peer(HELLO ASKED OK ASKED OK "exec sleep 30", NULL, S(20));
	assert_int_equal(ask_ok(w, S(20)), ASK_OK);
	assert_int_equal(ask_ok(w, S(20)), ASK_OK);
	assert_true(worker_is_alive(w));
	int pid = worker_pid(w);
	assert_true(pid > 0);
	kill(pid, SIGKILL);
	assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
	assert_string_equal(worker_fault(w)->word, "killed");
	assert_int_equal(ask_ok(w, S(20)), ASK_FAULT); /* still the same */
	expect_word(w, "killed");
}

/* What a peer does after HELLO, and the word for it. */
static void misbehaviour(void **state)
{
	(void)state;
	const struct {
		const char *script, *word;
	} rows[] = {
		{"exit 0", "exited_early"},
		{"exit 9", "exited_early"},
		{"kill -SEGV $$", "crash_segv"},
		{"kill -ABRT $$", "abort"},
		{"kill -FPE $$", "crash_fpe"},
		{"kill -KILL $$", "killed"},
		{ASKED "echo garbage garbage >&$1; exec sleep 30", "protocol_error"},
		{ASKED "printf '\\377\\377\\377\\377\\0\\0" VERSION "\\0' >&$1; exec sleep 30",
		 "protocol_error"},                                                                  /* 4 GiB */
		{ASKED "printf '\\0\\0\\0\\0\\0\\0\\111\\0' >&$1; exec sleep 30", "protocol_error"}, /* version 73 */
		{ASKED "printf '\\0\\0\\0\\0\\310\\0" VERSION "\\0' >&$1; exec sleep 30",
		 "protocol_error"},                                             /* type 200 */
		{ASKED "printf '\\010\\0\\0\\0' >&$1; exit 3", "exited_early"}, /* half a frame */
		{ASKED HELLO "exec sleep 30", "protocol_error"},                /* a message, not the one */
		{OK OK "exec sleep 30", "protocol_error"},                      /* answers before it is asked */
		{"eval \"exec $1>&-\"; exec sleep 30", "killed"},               /* closes the link and lives on */
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *script = arena_printf(&arena, HELLO "%s", rows[i].script);
		struct worker *w = peer(script, NULL, S(20));
		if (strncmp(rows[i].script, OK, sizeof OK - 1) == 0)
			worker_await(w, S(20));
		assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
		if (strcmp(worker_fault(w)->word, rows[i].word) != 0)
			fail_msg("%s: %s", rows[i].script, worker_fault(w)->text);
		expect_word(w, rows[i].word);
	}
}

static void before_hello(void **state)
{
	(void)state;
	struct worker *w = peer("exit 5", NULL, S(20));
	assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
	expect_word(w, "exited_early");
	w = peer("exec sleep 30", NULL, 100000000);
	assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
	expect_word(w, "hang");
	w = peer("echo not a message >&$1; exec sleep 30", NULL, S(20));
	assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
	expect_word(w, "protocol_error");
}

static void not_there(void **state)
{
	(void)state;
	const char *args[] = {"worker", NULL};
	struct worker_options o = {.program = "/nonexistent/assay", .args = args, .name = "peer", .folder = kit_folder};
	struct err e = {ERR_NONE, ""};
	struct worker *w = worker_start(&o, &e);
	if (w) { /* the exec fails in the child */
		assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
		expect_word(w, "not_started");
	} else {
		assert_non_null(strstr(e.text, "/nonexistent/assay"));
	}
}

/* At the deadline the whole group ends: children too, also those that ignore signals. */
static void deadline(void **state)
{
	(void)state;
	const char *mark = kit_path("child");
	const char *script = arena_printf(
		&arena, HELLO "trap '' TERM INT HUP; (trap '' TERM; echo $$ >%s; exec sleep 60) & wait; sleep 60",
		mark);
	struct worker *w = peer(script, NULL, S(20));
	int pgid = worker_pid(w);
	while (!file_exists(mark))
		clock_sleep_ns(1000000);
	assert_int_equal(ask_ok(w, 200000000), ASK_FAULT);
	assert_string_equal(worker_fault(w)->word, "hang");
	struct watch_census left;
	assert_false(watch_group(pgid, &left));
	expect_word(w, "hang");
}

static void memory_limit(void **state)
{
	(void)state;
	const struct sandbox_plan plan = {
		.kind = SANDBOX_TOOL, .network = SANDBOX_NET_HOST, .max_memory_bytes = 64u << 20};
	/* the shell's own memory grows */
	const char *script =
		HELLO "x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; "
		      "do x=$x$x; done; exec 2>/dev/null; sleep 60";
	struct worker *w = peer(script, &plan, S(20));
	assert_int_equal(ask_ok(w, S(60)), ASK_FAULT);
	expect_word(w, "out_of_memory");
}

/* What it printed last stands in the text; nothing printed can look like an answer. */
static void last_words(void **state)
{
	(void)state;
	struct worker *w =
		peer(HELLO "echo to stdout; echo first >&2; echo kernel assert failed >&2; exit 7", NULL, S(20));
	assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
	assert_non_null(strstr(worker_fault(w)->text, "(exit 7)"));
	assert_non_null(strstr(worker_fault(w)->text, "kernel assert failed"));
	assert_true(str_starts(worker_stderr(w, &arena), "first\n"));
	expect_word(w, "exited_early");
}

/* Nothing of our environment but the list. */
static void environment(void **state)
{
	(void)state;
	const char *out = kit_path("env");
	setenv("ASSAY_SECRET", "1", 1);
	setenv("LD_PRELOAD_NOT", "1", 1);
	setenv("AWS_TOKEN", "1", 1);
	struct worker *w = peer(arena_printf(&arena, HELLO "env >%s.new; mv %s.new %s; exec sleep 30", out, out, out),
				NULL, S(20));
	while (!file_exists(out))
		clock_sleep_ns(1000000);
	struct str text;
	struct err e = {ERR_NONE, ""};
	assert_true(file_read(&arena, &text, out, 1 << 20, &e));
	assert_int_equal(str_find(text, STR("ASSAY_")), SIZE_MAX);
	assert_int_equal(str_find(text, STR("TOKEN")), SIZE_MAX);
	assert_int_equal(str_find(text, STR("_NOT=")), SIZE_MAX);
	assert_int_not_equal(str_find(text, str_from(arena_printf(&arena, "HOME=%s/", kit_folder))), SIZE_MAX);
	assert_int_not_equal(str_find(text, STR("LD_LIBRARY_PATH=/")), SIZE_MAX);
	worker_free(w);
}

/* ---- the real worker, asked what makes no sense */

static struct worker *real(void)
{
	static const char *const args[] = {"worker", NULL};
	struct worker_options o = {.program = kit_program, .args = args, .name = "worker", .folder = kit_folder};
	struct err e = {ERR_NONE, ""};
	struct worker *w = worker_start(&o, &e);
	if (!w)
		fail_msg("%s", e.text);
	return w;
}

static void send(struct worker *w, const struct wire_message *m)
{
	struct err e = {ERR_NONE, ""};
	assert_true(worker_tell(w, m, &e));
}

static struct wire_message setup_message(const char *backend, const char *mode, const char *library)
{
	struct wire_message m = {.type = WIRE_TYPE_SETUP};
	m.u.setup.backend = str_from(backend);
	m.u.setup.mode = str_from(mode);
	m.u.setup.library = str_from(library);
	m.u.setup.symbol = STR("solve");
	m.u.setup.args = m.u.setup.cupti = STR("");
	return m;
}

static void wrong_order(void **state)
{
	(void)state;
	const struct {
		enum wire_type type;
		const char *words;
	} rows[] = {
		{WIRE_TYPE_LAYOUT, "message layout before SETUP"}, {WIRE_TYPE_MAP, "message map before SETUP"},
		{WIRE_TYPE_CALLS, "message calls before SETUP"},   {WIRE_TYPE_ROWS, "message rows before SETUP"},
		{WIRE_TYPE_HELLO, "message hello before SETUP"},   {WIRE_TYPE_COMPARE, "message compare before SETUP"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct wire_message m = {.type = rows[i].type};
		struct worker *w = real();
		send(w, &m);
		assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
		if (!strstr(worker_fault(w)->text, rows[i].words))
			fail_msg("%s: %s", rows[i].words, worker_fault(w)->text);
		expect_word(w, "exited_early");
	}
}

static void nonsense(void **state)
{
	(void)state;
	struct wire_message rows[4] = {setup_message("c", "sideways", "/k.so"),
				       setup_message("c", "time", "/k.so"),
				       setup_message("c", "time", "/k.so"),
				       {.type = WIRE_TYPE_LAYOUT}};
	rows[1].u.setup.args = STR("not a multiple of an argument");
	char *many = arena_alloc(&arena, 65 * sizeof(struct wire_arg));
	memset(many, 0, 65 * sizeof(struct wire_arg));
	rows[2].u.setup.args = (struct str){many, 65 * sizeof(struct wire_arg)};
	for (size_t i = 0; i < 3; i++) {
		struct worker *w = real();
		send(w, &rows[i]);
		assert_int_equal(ask_ok(w, S(20)), ASK_FAULT);
		assert_non_null(strstr(worker_fault(w)->text, "SETUP makes no sense"));
		expect_word(w, "exited_early");
	}
}

/* The worker's own words: a library that is not there, a symbol that is not in it. */
static void said(void **state)
{
	(void)state;
	struct err e = {ERR_NONE, ""};
	struct wire_message m = setup_message("c", "time", "/nonexistent/k.so"), answer;
	struct worker *w = real();
	send(w, &m);
	assert_int_equal(worker_more(w, WIRE_TYPE_READY, &answer, S(20), &e), ASK_FAULT);
	assert_true(worker_fault(w)->is_said);
	assert_string_equal(worker_fault(w)->word, "load_failed");
	assert_non_null(strstr(worker_fault(w)->text, "/nonexistent/k.so"));
	assert_true(worker_is_alive(w));
	worker_free(w);
	w = real();
	m = setup_message("c", "time", "libm.so.6");
	send(w, &m);
	assert_int_equal(worker_more(w, WIRE_TYPE_READY, &answer, S(20), &e), ASK_FAULT);
	assert_string_equal(worker_fault(w)->word, "no_entry");
	worker_free(w);
}

/* A worker that is not told anything ends with the link. */
static void ends_with_link(void **state)
{
	(void)state;
	struct worker *w = real();
	int pid = worker_pid(w);
	worker_leave(w);
	worker_free(w);
	assert_int_equal(kill(pid, 0), -1);
	worker_free(NULL);
}

int main(int argc, char **argv)
{
	(void)argc;
	kit_start(argv);
	arena_init(&arena);
	kit_conf("");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),    cmocka_unit_test(misbehaviour), cmocka_unit_test(before_hello),
		cmocka_unit_test(not_there),  cmocka_unit_test(deadline),     cmocka_unit_test(memory_limit),
		cmocka_unit_test(last_words), cmocka_unit_test(environment),  cmocka_unit_test(wrong_order),
		cmocka_unit_test(nonsense),   cmocka_unit_test(said),         cmocka_unit_test(ends_with_link),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_release(&arena);
	return kit_end(failed);
}
