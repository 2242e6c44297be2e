/* The launcher probe.
 * In: a command line and a bound. Out: it works, or why not and that it is not tried again.
 * Addresses and ports are the user's: 127.0.0.1 and a free port in the command itself.
 * Never: counts a failed start as a sample. */
#include "protocol/launcher.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/proc.h"
#include "protocol/driver/call.h"
#include "store/journal.h"

static const char *const name_messages[] = {
	"Name or service not known",
	"Temporary failure in name resolution",
	"getaddrinfo",
	"gaierror",
	"RendezvousConnectionError",
	"RendezvousTimeoutError",
	"failed to connect to the rendezvous",
	"Could not resolve host",
};

bool launcher_failed_by_name(struct str text)
{
	for (size_t i = 0; i < COUNT_OF(name_messages); i++) {
		if (str_find(text, str_from(name_messages[i])) != SIZE_MAX)
			return true;
	}
	return false;
}

static const char *memory_of(struct protocol *p, const char *root)
{
	return arena_printf(p->arena, "%s.launchers.jsonl", root);
}

struct search {
	char wanted[SHA256_HEX];
	char reason[256];
	bool found;
};

static bool each(void *ctx, const struct json *event, uint64_t i_line)
{
	struct search *s = ctx;
	(void)i_line;
	if (str_is(json_str(event, "command_sha256", STR("")), s->wanted)) {
		snprintf(s->reason, sizeof(s->reason), "%s", json_str(event, "reason", STR("")).p);
		s->found = true;
	}
	return !s->found;
}

bool launcher_is_refused(struct protocol *p, const char *root, const struct json *command, struct err *e)
{
	struct search s = {.found = false};
	evidence_canonical(command, s.wanted);
	if (!journal_replay(memory_of(p, root), each, &s, NULL, e))
		return false;
	return s.found ? err_set(e, ERR_ENVIRONMENT,
				 "this command line failed before (%.200s) and is not started again: %s", s.reason,
				 memory_of(p, root))
		       : true;
}

void launcher_note(struct protocol *p, const char *root, const struct json *command, const char *reason)
{
	struct journal *j;
	struct err ignored;
	char digest[SHA256_HEX];
	struct json *line = json_object(p->arena);
	evidence_canonical(command, digest);
	json_set_cstr(line, "command_sha256", digest);
	json_set(line, "command", json_array(p->arena));
	for (size_t i = 0; i < command->n; i++)
		json_push_str(json_get(line, "command"), command->items[i]->text);
	json_set_str(line, "reason", str_sub(str_from(reason), 0, 200));
	json_set_f64(line, "at_epoch", (double)clock_unix_ns() / 1e9);
	if (!journal_open(&j, memory_of(p, root), NULL, &ignored))
		return;
	if (!journal_append(j, line, &ignored))
		log_note("%s", ignored.text);
	journal_close(j);
}

bool launcher_probe(struct protocol *p, const char *root, const struct json *launcher, struct err *e)
{
	const struct json *command = json_get(launcher, "command");
	const char **argv = ARENA_ARRAY(p->arena, command->n + 1, const char *);
	if (!launcher_is_refused(p, root, command, e))
		return false;
	for (size_t i = 0; i < command->n; i++)
		argv[i] = command->items[i]->text.p;
	argv[0] = path_which(p->arena, argv[0], NULL);
	if (!argv[0])
		return err_set(e, ERR_ENVIRONMENT, "launcher: %.200s is not there", command->items[0]->text.p);
	struct proc_options o = {.argv = argv,
				 .timeout_ns = (int64_t)(json_f64(launcher, "timeout_seconds", 10) * 1e9),
				 .max_output = 65536,
				 .flags = PROC_NEW_SESSION | PROC_MERGE_STDERR};
	struct proc_result r;
	bool started = proc_run(&r, &o, e);
	bool clean = call_end_all(NULL, NULL, INT64_C(5000000000));
	if (started && r.exit_status != 0) {
		const char *kind =
			launcher_failed_by_name(buf_view(&r.out)) ? "name resolution or rendezvous" : "start";
		const char *how = proc_describe(p->arena, &r);
		launcher_note(p, root, command, arena_printf(p->arena, "%s failed: %s", kind, how));
		started = err_set(e, ERR_ENVIRONMENT, "launcher: %s failed: %s%s: %.300s", kind, how,
				  clean ? "" : ", and not everything of it ended", r.out.p ? r.out.p : "");
	}
	proc_result_release(&r);
	return started;
}
