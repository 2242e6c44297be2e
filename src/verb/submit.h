/* What the verbs of the evidence protocol share: rows for limits and waiting, and answering a request that was made from
 * options. The same as `assay request` on the file that --print-request writes. */
#ifndef ASSAY_VERB_SUBMIT_H
#define ASSAY_VERB_SUBMIT_H

#include "protocol/compose.h"
#include "verb/verb.h"

struct submit_options {
	bool print_request, wait, explain, foreground;
	struct compose_limits limits;
};
#define SUBMIT_DEFAULTS                                                                                                \
	{                                                                                                              \
		.limits = { 3600, 600, 600, 30, 3600 }                                                                 \
	}
#define SUBMIT_ROW_PRINT(owner, member)                                                                                \
	{                                                                                                              \
		.name = "print-request", .type = OPT_FLAG, .offset = offsetof(owner, member.print_request),            \
		.help = "Print the request that would be answered, as `assay request` takes it."                       \
	}
#define SUBMIT_SECONDS(owner, member, field, key, text)                                                                \
	{                                                                                                              \
		.name = key, .type = OPT_F64, .offset = offsetof(owner, member.limits.field), .min = 0.01,             \
		.max = 31536000, .meta = "S", .help = text                                                             \
	}
#define SUBMIT_ROWS_LIMITS(owner, member)                                                                              \
	SUBMIT_SECONDS(owner, member, operation_s, "timeout", "Seconds for the whole operation."),                     \
		SUBMIT_SECONDS(owner, member, command_s, "command-timeout", "Seconds for one driver call."),           \
		SUBMIT_SECONDS(owner, member, resource_wait_s, "resource-wait", "Seconds to wait for the leases."),    \
		SUBMIT_SECONDS(owner, member, cleanup_s, "cleanup", "Seconds for a driver's processes to end.")
#define SUBMIT_ROWS_WAIT(owner, member)                                                                                \
	{.name = "wait",                                                                                               \
	 .type = OPT_FLAG,                                                                                             \
	 .offset = offsetof(owner, member.wait),                                                                       \
	 .help = "Answer when the invocation has ended."},                                                             \
		{.name = "explain",                                                                                    \
		 .type = OPT_FLAG,                                                                                     \
		 .offset = offsetof(owner, member.explain),                                                            \
		 .help = "Say what would run; nothing is written."},                                                   \
		{.name = "dry-run",                                                                                    \
		 .type = OPT_FLAG,                                                                                     \
		 .offset = offsetof(owner, member.explain),                                                            \
		 .help = "As --explain."},                                                                             \
		{.name = "foreground",                                                                                 \
		 .type = OPT_FLAG,                                                                                     \
		 .offset = offsetof(owner, member.foreground),                                                         \
		 .help = "Run in this process; so in CI and Slurm steps without it."},                                 \
		SUBMIT_SECONDS(owner, member, launch_s, "launch-within", "Seconds until it has to have started.")

struct protocol submit_protocol(struct verb_call *call, const char *root);
bool submit_is_bound(void); /* processes are ended with the step that started us: CI, Slurm */
/* Answers the request (NULL: it could not be made, e says why) and prints the answer; call->status is set. */
MUST_USE bool submit(struct verb_call *call, const struct verb_common *c, const struct submit_options *o,
		     struct json *request, struct err *e);
/* Exactly one of the words; false and err. */
MUST_USE bool submit_word(const char *verb, const char *word, const char *words, struct err *e);

#endif
