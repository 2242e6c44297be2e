/* Runs a verb in a child.
 * In: a verb with its options. Out: a pid; the verb's document on out_fd, its notes and progress on err_fd.
 * The child is a fork, not a new program: the options struct is the request, and starting costs a fraction of a millisecond.
 * Never: returns in the child. */
#include "door/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/border.h"
#include "base/log.h"
#include "base/proc.h"

struct json *job_error(struct arena *a, const struct err *e)
{
	struct json *j = json_object(a), *x = json_set_object(j, "error");
	json_set_cstr(j, "format", "assay/error-v1");
	json_set_cstr(x, "code", err_name(e->code));
	json_set_cstr(x, "text", e->text);
	json_set_i64(x, "exit_status", err_exit(e->code));
	return j;
}

static bool take_places(const struct job_options *o, struct arena *a)
{
	static const char *const names[][2] = {{"ASSAY_STORE", "store"},
					       {"ASSAY_CACHE_DIR", "cache"},
					       {"XDG_DATA_HOME", "data"},
					       {"XDG_CACHE_HOME", "cache"},
					       {"TMPDIR", "tmp"}};
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	bool ok = null_fd >= 0 && dup2(null_fd, 0) == 0 && dup2(o->out_fd, 1) == 1 && dup2(o->err_fd, 2) == 2 &&
		  chdir(o->root) == 0 && setenv(BORDER_VARIABLE, o->root, 1) == 0;
	for (size_t i = 0; ok && i < COUNT_OF(names); i++)
		ok = setenv(names[i][0], arena_printf(a, "%s/%s", o->private, names[i][1]), 1) == 0;
	return ok;
}

NORETURN static void child(const struct job_options *o, pid_t parent)
{
	struct arena a;
	struct buf out;
	struct err e = {ERR_NONE, ""};
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sig_install();
	if (getppid() != parent)
		_exit(4);
	arena_init(&a);
	buf_init(&out);
	if (!take_places(o, &a))
		_exit(4);
	verb_confine(&o->root, 1); /* where that is not possible the door said so when it opened */
	log_progress_as_lines();
	struct verb_call call = {
		.arena = &a, .out = &out, .term = {80, false}, .command = o->command, .program = o->program};
	((struct verb_common *)o->options)->json = true;
	bool ok = o->verb->run(o->options, &call, &e);
	if (!ok) {
		buf_clear(&out);
		verb_put_json(&call, job_error(&a, &e));
		call.status = err_exit(e.code);
	}
	verb_flush(&call);
	_exit(ok && ferror(stdout) ? 4 : call.status);
}

int job_run_here(const struct job_options *o, struct buf *out)
{
	struct arena a;
	struct err e = {ERR_NONE, ""};
	arena_init(&a);
	struct verb_call call = {
		.arena = &a, .out = out, .term = {80, false}, .command = o->command, .program = o->program};
	((struct verb_common *)o->options)->json = true;
	if (!o->verb->run(o->options, &call, &e)) {
		buf_clear(out);
		verb_put_json(&call, job_error(&a, &e));
		call.status = err_exit(e.code);
	}
	arena_release(&a);
	return call.status;
}

int job_start(const struct job_options *o, struct err *e)
{
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		child(o, parent);
	if (pid < 0)
		err_errno(e, ERR_SYSTEM, errno, "%s: fork", o->verb->spec->verb);
	return (int)pid;
}
