/* assay request: one closed JSON request of the evidence protocol; and `supervise`, the process that runs an invocation.
 * In: a file. Out: one JSON object, as the published tools give it.
 * A refusal is one JSON object on stderr with the published error code.
 * Never: changes a request. */
#include <stddef.h>

#include "base/log.h"
#include "inspect/inspect.h"
#include "protocol/evaluate/supervise.h"
#include "protocol/request.h"
#include "protocol/shape.h"
#include "verb/submit.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	bool wait, explain, foreground, compat_exit;
};

static const struct opt_row rows[] = {
	{.name = "wait",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, wait),
	 .help = "Answer when the invocation has ended."},
	{.name = "explain",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, explain),
	 .help = "Say what would run; nothing is written."},
	{.name = "dry-run", .type = OPT_FLAG, .offset = offsetof(struct options, explain), .help = "As --explain."},
	{.name = "foreground",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, foreground),
	 .help = "Run in this process; so in CI and Slurm steps without it."},
	{.name = "compat-exit",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, compat_exit),
	 .help = "Exit status of the published tools: 2 for a refusal, else 0."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {"assay request baseline.json --wait", NULL};

static bool refuse(struct verb_call *call, const struct options *o, const char *code, const struct err *why)
{
	struct json *j = json_object(call->arena);
	struct buf b;
	json_set_str(j, "error", str_sub(str_from(why->text), 0, 1024));
	json_set_cstr(j, "error_code", code);
	json_set_cstr(j, "status", "rejected");
	buf_init(&b);
	json_write(&b, j, JSON_PYTHON);
	fprintf(stderr, "%s\n", b.p);
	buf_release(&b);
	call->status = o->compat_exit ? 2 : err_exit(why->code);
	return true;
}

static bool answer(struct request_result *r, const struct request_call *how, const struct json *request, struct err *e)
{
	if (!shape_texts(request, e))
		return false;
	if (inspect_knows(json_str(request, "format_version", STR(""))))
		return inspect_answer(r, how, request, e);
	return request_answer(r, how->arena, how->program, request, how->flags, e);
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct request_result r = {.code = "invalid_request"};
	struct err why = {ERR_NONE, ""};
	unsigned flags = (o->wait ? REQUEST_WAIT : 0u) | (o->explain ? REQUEST_EXPLAIN : 0u) |
			 (o->foreground || (o->wait && submit_is_bound()) ? REQUEST_FOREGROUND : 0u);
	struct json *request = json_read_file(call->arena, o->args.items[0], JSON_LARGE, &why);
	(void)e;
	struct request_call how = {call->arena, call->program, flags};
	if (!request || !answer(&r, &how, request, &why))
		return refuse(call, o, r.code, &why);
	json_write(call->out, r.answer, JSON_PYTHON);
	buf_char(call->out, '\n');
	call->status = o->compat_exit ? 0 : r.status;
	return true;
}

static const struct opt_spec spec = {
	.verb = "request",
	.summary = "Answers one JSON request of the evidence protocol.",
	.positional = "FILE",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "Formats: cuda-kernel-optimizer/readiness-input-v2, evaluator-input-v2, champion-input-v1, "
		 "ncu-input-v1, "
		 "nsys-input-v1, pytorch-input-v1, compiler-input-v1, sass-input-v1, knowledge-input-v1, and "
		 "assay/readiness-input-v3, assay/evaluator-input-v3. docs/PROTOCOL.md describes them.",
};
const struct verb verb_request = {&spec, &defaults, run, VERB_LONG};

/* ---- supervise ---- */

struct supervise_options {
	struct verb_common common;
	const char *root, *invocation;
	int64_t owner;
};

static const struct opt_row supervise_rows[] = {
	{.name = "root",
	 .type = OPT_STRING,
	 .offset = offsetof(struct supervise_options, root),
	 .meta = "DIR",
	 .help = "Evidence root."},
	{.name = "invocation",
	 .type = OPT_STRING,
	 .offset = offsetof(struct supervise_options, invocation),
	 .meta = "ID",
	 .help = "What to run."},
	{.name = "owner",
	 .type = OPT_I64,
	 .offset = offsetof(struct supervise_options, owner),
	 .min = -1,
	 .max = 1 << 20,
	 .meta = "FD",
	 .help = "Its locked .owner file."},
	VERB_COMMON_ROWS,
};
static const struct supervise_options supervise_defaults = {.common = VERB_COMMON_DEFAULTS, .owner = -1};

static bool run_supervise(void *options, struct verb_call *call, struct err *e)
{
	const struct supervise_options *o = options;
	if (!o->root || !o->invocation || o->owner < 0)
		return err_set(e, ERR_USAGE, "supervise: is started by assay itself");
	struct protocol p = {.arena = call->arena, .program = call->program, .root = o->root, .read = inspect_read};
	log_level(LOG_QUIET);
	return supervise(&p, o->invocation, (int)o->owner, e);
}

static const struct opt_spec supervise_spec = {.verb = "supervise",
					       .summary = "Runs one invocation (internal).",
					       .rows = supervise_rows,
					       .n_rows = COUNT_OF(supervise_rows),
					       .options_size = sizeof(struct supervise_options),
					       .dims_offset = SIZE_MAX};
const struct verb verb_supervise = {&supervise_spec, &supervise_defaults, run_supervise, VERB_HIDDEN};
