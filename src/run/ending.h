/* How a worker ended, as one word. A pure function of what the parent saw; what the worker said counts only as "its last
 * message was complete". The words stand in the verdict table. */
#ifndef ASSAY_RUN_ENDING_H
#define ASSAY_RUN_ENDING_H

#include "base/arena.h"

/* id, word, text for people */
#define ENDINGS(X)                                                                                                     \
	X(DONE, "done", "answered and exited")                                                                         \
	X(RUNNING, "running", "has not ended")                                                                         \
	X(NOT_STARTED, "not_started", "could not be started in its sandbox")                                           \
	X(INTERRUPTED, "interrupted", "ended because the user asked")                                                  \
	X(HANG, "hang", "still busy at its deadline")                                                                  \
	X(OUT_OF_MEMORY, "out_of_memory", "used more host memory than it may")                                         \
	X(PROTOCOL_ERROR, "protocol_error", "sent a message that is not allowed here")                                 \
	X(FILE_TOO_LARGE, "file_too_large", "wrote files beyond the limit")                                            \
	X(BAD_SYSCALL, "bad_syscall", "made a forbidden system call")                                                  \
	X(CRASH_SEGV, "crash_segv", "invalid memory access")                                                           \
	X(CRASH_BUS, "crash_bus", "bus error")                                                                         \
	X(CRASH_FPE, "crash_fpe", "arithmetic trap")                                                                   \
	X(CRASH_ILL, "crash_ill", "illegal instruction")                                                               \
	X(ABORT, "abort", "called abort")                                                                              \
	X(KILLED, "killed", "ended by a signal from outside")                                                          \
	X(EXITED_EARLY, "exited_early", "exited before it answered")
enum ending {
#define ENDING_X(id, word, text) ENDING_##id,
	ENDINGS(ENDING_X)
#undef ENDING_X
		ENDING_COUNT
};

enum ending_seen {
	ENDING_SEEN_STATUS = 1,        /* wait_status is set */
	ENDING_SEEN_DEADLINE = 2,      /* the parent ended it at its deadline */
	ENDING_SEEN_MEMORY = 4,        /* the parent ended it for memory, or the kernel's oom_kill counter moved */
	ENDING_SEEN_INTERRUPT = 8,     /* the parent ended it because a signal asked */
	ENDING_SEEN_BAD_MESSAGE = 16,  /* the parent ended it after bytes that do not decode */
	ENDING_SEEN_ANSWER = 32,       /* the last message that was asked for came whole */
	ENDING_SEEN_READY = 64,        /* it said that it was ready */
	ENDING_SEEN_DISK = 256,        /* the parent ended it for the files in its folder */
	ENDING_SEEN_PARENT_KILL = 128, /* the parent ended it though nothing was wrong (end of use) */
};
struct ending_facts {
	unsigned seen;   /* enum ending_seen */
	int wait_status; /* as waitpid gives it */
};

enum ending ending_classify(const struct ending_facts *f);
const char *ending_word(enum ending x);
const char *ending_text(enum ending x);
/* One line: "crash_segv: invalid memory access (SIGSEGV)", "exited_early: exited before it answered (exit 3)". */
const char *ending_describe(struct arena *a, const struct ending_facts *f);

#endif
