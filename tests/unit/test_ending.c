/* Endings: the table of what the parent saw and the word that follows. */
#include "run/ending.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>
#include <sys/wait.h>

#define S ENDING_SEEN_STATUS
#define READY ENDING_SEEN_READY
#define ANSWER ENDING_SEEN_ANSWER
#define EXIT(code) W_EXITCODE(code, 0)
#define SIGNAL(n) W_EXITCODE(0, n)

static void test_table(void **state)
{
	(void)state;
	static const struct {
		unsigned seen;
		int status;
		enum ending want;
	} rows[] = {
		{0, 0, ENDING_RUNNING},
		{READY | ANSWER, 0, ENDING_RUNNING},
		{S | READY | ANSWER, EXIT(0), ENDING_DONE},
		{S | READY | ANSWER, EXIT(1), ENDING_EXITED_EARLY}, /* atexit handlers may fail; not a clean end */
		{S | READY, EXIT(0), ENDING_EXITED_EARLY},
		{S | READY, EXIT(126), ENDING_EXITED_EARLY},
		{S, EXIT(126), ENDING_NOT_STARTED},
		{S, EXIT(127), ENDING_NOT_STARTED},
		{S, EXIT(0), ENDING_EXITED_EARLY},
		{S | READY, SIGNAL(SIGSEGV), ENDING_CRASH_SEGV},
		{S | READY, SIGNAL(SIGSEGV) | 0x80, ENDING_CRASH_SEGV}, /* with a core */
		{S | READY | ANSWER, SIGNAL(SIGSEGV), ENDING_CRASH_SEGV},
		{S | READY, SIGNAL(SIGBUS), ENDING_CRASH_BUS},
		{S | READY, SIGNAL(SIGFPE), ENDING_CRASH_FPE},
		{S | READY, SIGNAL(SIGILL), ENDING_CRASH_ILL},
		{S | READY, SIGNAL(SIGTRAP), ENDING_CRASH_ILL}, /* __builtin_trap on some targets */
		{S | READY, SIGNAL(SIGABRT), ENDING_ABORT},
		{S | READY, SIGNAL(SIGXFSZ), ENDING_FILE_TOO_LARGE},
		{S | READY, SIGNAL(SIGSYS), ENDING_BAD_SYSCALL},
		{S | READY, SIGNAL(SIGKILL), ENDING_KILLED},
		{S | READY | ANSWER, SIGNAL(SIGKILL), ENDING_KILLED},
		{S | READY | ANSWER | ENDING_SEEN_PARENT_KILL, SIGNAL(SIGKILL), ENDING_DONE},
		{S | READY | ENDING_SEEN_PARENT_KILL, SIGNAL(SIGKILL), ENDING_KILLED},
		{S | READY | ENDING_SEEN_DEADLINE, SIGNAL(SIGKILL), ENDING_HANG},
		{S | READY | ENDING_SEEN_MEMORY, SIGNAL(SIGKILL), ENDING_OUT_OF_MEMORY},
		{S | READY | ENDING_SEEN_MEMORY | ENDING_SEEN_DEADLINE, SIGNAL(SIGKILL), ENDING_OUT_OF_MEMORY},
		{S | READY | ENDING_SEEN_BAD_MESSAGE, SIGNAL(SIGKILL), ENDING_PROTOCOL_ERROR},
		{S | READY | ANSWER | ENDING_SEEN_BAD_MESSAGE, EXIT(0), ENDING_PROTOCOL_ERROR},
		{S | READY | ENDING_SEEN_INTERRUPT | ENDING_SEEN_DEADLINE, SIGNAL(SIGKILL), ENDING_INTERRUPTED},
		{READY | ENDING_SEEN_DEADLINE, 0, ENDING_HANG}, /* not even SIGKILL ended it: stuck in the driver */
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		enum ending got = ending_classify(&(struct ending_facts){rows[i].seen, rows[i].status});
		if (got != rows[i].want)
			fail_msg("row %zu: %s, want %s", i, ending_word(got), ending_word(rows[i].want));
	}
}

static void test_words(void **state)
{
	(void)state;
	for (int i = 0; i < ENDING_COUNT; i++) {
		assert_true(strspn(ending_word((enum ending)i), "abcdefghijklmnopqrstuvwxyz_") ==
			    strlen(ending_word((enum ending)i)));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(ending_word((enum ending)i), ending_word((enum ending)k));
	}
	struct arena a;
	arena_init(&a);
	assert_string_equal(ending_describe(&a, &(struct ending_facts){S | READY, SIGNAL(SIGSEGV)}),
			    "crash_segv: invalid memory access (SIGSEGV)");
	assert_string_equal(ending_describe(&a, &(struct ending_facts){S | READY, EXIT(3)}),
			    "exited_early: exited before it answered (exit 3)");
	assert_string_equal(ending_describe(&a, &(struct ending_facts){S | READY, SIGNAL(SIGRTMIN + 1)}),
			    "killed: ended by a signal from outside (signal 35)");
	assert_string_equal(ending_describe(&a, &(struct ending_facts){ENDING_SEEN_DEADLINE, 0}),
			    "hang: still busy at its deadline");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_words)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
