/* Children inside a sandbox that try something and say whether they were refused: shared by the sandbox's tests. */
#ifndef ASSAY_TESTS_SANDBOX_FIXTURE_H
#define ASSAY_TESTS_SANDBOX_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "probe/seal.h"
#include "run/sandbox.h"

/* What a child says: its attempt was refused as wanted, or was not. */
enum { REFUSED = 40, SUCCEEDED, ODD };

struct fixture {
	char folder[40];
	char *open_dir, *hidden_dir, *hidden_file, *allowed_file;
	struct arena a;
	struct sandbox *s;
	struct err e;
};
typedef int attempt(struct fixture *f);

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	snprintf(f->folder, sizeof(f->folder), "/var/tmp/assay-test-box.XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	arena_init(&f->a);
	f->open_dir = path_join(&f->a, f->folder, "open");
	f->hidden_dir = path_join(&f->a, f->folder, "hidden");
	f->hidden_file = path_join(&f->a, f->hidden_dir, "answer");
	f->allowed_file = path_join(&f->a, f->open_dir, "file");
	*state = f;
	return file_mkdirs(f->open_dir, 0755, &f->e) && file_mkdirs(f->hidden_dir, 0755, &f->e) &&
			       file_write_str(f->hidden_file, STR("42"), &f->e) &&
			       file_write_str(f->allowed_file, STR("x"), &f->e)
		       ? 0
		       : -1;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;
	sandbox_free(f->s);
	bool ok = file_remove_tree(f->folder, &f->e);
	arena_release(&f->a);
	free(f);
	return ok ? 0 : -1;
}

static inline void make(struct fixture *f, struct sandbox_plan plan)
{
	struct sandbox_path paths[] = {{f->open_dir, SANDBOX_READ | SANDBOX_WRITE}, {"/nowhere/at/all", SANDBOX_READ}};
	plan.paths = paths;
	plan.n_paths = COUNT_OF(paths);
	sandbox_free(f->s);
	f->s = sandbox_new(&plan, &f->e);
	assert_non_null(f->s);
}

enum { SEALED = 1 };

/* Runs the attempt in a child inside the sandbox; its exit code, 256 + signal when it died of one. */
static inline int inside(struct fixture *f, unsigned flags, attempt *fn)
{
	pid_t pid = fork();
	if (pid == 0) {
		if (!sandbox_apply(f->s))
			_exit(126);
		struct err e = {0};
		if (flags & SEALED && !seal_install(fcntl(sandbox_seal_fd(f->s), F_DUPFD, 10), &e))
			_exit(125);
		_exit(fn(f));
	}
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static inline bool active(struct fixture *f, enum sandbox_layer_id id)
{
	return sandbox_is_active(sandbox_report(f->s), id);
}

/* The attempt is refused where the layer says that it holds. */
static inline void refused(struct fixture *f, enum sandbox_layer_id id, unsigned flags, attempt *fn)
{
	int code = inside(f, flags, fn);
	if (active(f, id))
		assert_int_equal(code, REFUSED);
	else
		print_message("not checked: %s: %s\n", sandbox_layer_name(id), sandbox_report(f->s)->layer[id].reason);
}

static inline int said(bool success)
{
	return success ? SUCCEEDED : errno == EACCES || errno == EPERM ? REFUSED : ODD;
}

#endif
