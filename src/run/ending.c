/* How a worker ended.
 * In: what the parent saw. Out: one word.
 * What the parent did itself comes first (it knows why it killed), then the signal, then the exit status.
 * Never: looks anything up. */
#include "run/ending.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static const struct {
	const char *word, *text;
} ending_rows[] = {
#define ENDING_X(id, word, text) {word, text},
	ENDINGS(ENDING_X)
#undef ENDING_X
};

/* What the parent saw or did, in the order in which it decides. */
static const struct {
	unsigned seen;
	enum ending ending;
} by_parent[] = {
	{ENDING_SEEN_INTERRUPT, ENDING_INTERRUPTED}, {ENDING_SEEN_BAD_MESSAGE, ENDING_PROTOCOL_ERROR},
	{ENDING_SEEN_MEMORY, ENDING_OUT_OF_MEMORY},  {ENDING_SEEN_DISK, ENDING_FILE_TOO_LARGE},
	{ENDING_SEEN_DEADLINE, ENDING_HANG},
};
static const struct {
	int signal;
	enum ending ending;
} by_signal[] = {
	{SIGSEGV, ENDING_CRASH_SEGV}, {SIGBUS, ENDING_CRASH_BUS},  {SIGFPE, ENDING_CRASH_FPE},
	{SIGILL, ENDING_CRASH_ILL},   {SIGABRT, ENDING_ABORT},     {SIGXFSZ, ENDING_FILE_TOO_LARGE},
	{SIGSYS, ENDING_BAD_SYSCALL}, {SIGTRAP, ENDING_CRASH_ILL},
};

#define EXIT_SETUP_FAILED 126 /* base/proc: the child's set-up said no */
#define EXIT_EXEC_FAILED 127

static enum ending of_status(const struct ending_facts *f)
{
	bool answered = f->seen & ENDING_SEEN_ANSWER;
	if (WIFSIGNALED(f->wait_status)) {
		int signal = WTERMSIG(f->wait_status);
		if (answered && signal == SIGKILL && f->seen & ENDING_SEEN_PARENT_KILL)
			return ENDING_DONE;
		for (size_t i = 0; i < COUNT_OF(by_signal); i++) {
			if (by_signal[i].signal == signal)
				return by_signal[i].ending;
		}
		return ENDING_KILLED;
	}
	if (!WIFEXITED(f->wait_status))
		return ENDING_RUNNING; /* stopped or continued */
	int code = WEXITSTATUS(f->wait_status);
	if ((code == EXIT_SETUP_FAILED || code == EXIT_EXEC_FAILED) && !(f->seen & ENDING_SEEN_READY))
		return ENDING_NOT_STARTED;
	return answered && code == 0 ? ENDING_DONE : ENDING_EXITED_EARLY;
}

enum ending ending_classify(const struct ending_facts *f)
{
	for (size_t i = 0; i < COUNT_OF(by_parent); i++) {
		if (f->seen & by_parent[i].seen)
			return by_parent[i].ending;
	}
	return f->seen & ENDING_SEEN_STATUS ? of_status(f) : ENDING_RUNNING;
}

const char *ending_word(enum ending x)
{
	return ending_rows[x].word;
}

const char *ending_text(enum ending x)
{
	return ending_rows[x].text;
}

const char *ending_describe(struct arena *a, const struct ending_facts *f)
{
	enum ending x = ending_classify(f);
	const char *word = ending_word(x), *text = ending_text(x);
	if (!(f->seen & ENDING_SEEN_STATUS) || x == ENDING_DONE)
		return arena_printf(a, "%s: %s", word, text);
	if (WIFEXITED(f->wait_status))
		return arena_printf(a, "%s: %s (exit %d)", word, text, WEXITSTATUS(f->wait_status));
	if (!WIFSIGNALED(f->wait_status))
		return arena_printf(a, "%s: %s", word, text);
	int signal = WTERMSIG(f->wait_status);
	const char *name = sigabbrev_np(signal);
	if (!name)
		return arena_printf(a, "%s: %s (signal %d)", word, text, signal);
	return arena_printf(a, "%s: %s (SIG%s)", word, text, name);
}
