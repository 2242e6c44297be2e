/* What the option rows give beside parsing: shell completion, man pages, input schemas.
 * In: a shell or a verb. Out: text on stdout.
 * All of it is made from verb_table, so that it cannot differ from what is parsed.
 * Never: writes a file. */
#include <stddef.h>

#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
};

static const struct opt_row rows[] = {VERB_COMMON_ROWS};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const completion_examples[] = {"assay completion bash > /etc/bash_completion.d/assay", NULL};
static const char *const man_examples[] = {"assay man bench | man -l -", NULL};
static const char *const schema_examples[] = {"assay schema bench", NULL};

static bool run_completion(void *options, struct verb_call *call, struct err *e)
{
	static const char *const shells[] = {"bash", "zsh", "fish"};
	const struct options *o = options;
	const struct opt_spec *specs[VERB_MOST];
	size_t n = verb_specs(specs), shell = 0;
	while (shell < COUNT_OF(shells) && strcmp(o->args.items[0], shells[shell]) != 0)
		shell++;
	if (shell == COUNT_OF(shells))
		return err_set(e, ERR_USAGE, "completion %s: there is bash, zsh and fish", o->args.items[0]);
	opt_completion(specs, n, (enum opt_shell)shell, call->out);
	return true;
}

static const struct verb *wanted(const struct options *o, struct err *e)
{
	const struct verb *v = verb_find(o->args.items[0]);
	if (!v || (v->flags & VERB_HIDDEN)) {
		err_set(e, ERR_USAGE, "there is no verb '%s'; assay --help lists them", o->args.items[0]);
		return NULL;
	}
	return v;
}

static bool run_man(void *options, struct verb_call *call, struct err *e)
{
	const struct verb *v = wanted(options, e);
	if (v)
		opt_man(v->spec, call->out);
	return v != NULL;
}

static bool run_schema(void *options, struct verb_call *call, struct err *e)
{
	const struct verb *v = wanted(options, e);
	if (v)
		verb_put_json(call, opt_schema(v->spec, call->arena));
	return v != NULL;
}

#define ROWS_SPEC(name, text, what, list)                                                                              \
	{                                                                                                              \
		.verb = name, .summary = text, .positional = what, .min_args = 1, .max_args = 1, .rows = rows,         \
		.n_rows = COUNT_OF(rows), .options_size = sizeof(struct options),                                      \
		.args_offset = offsetof(struct options, args), .dims_offset = SIZE_MAX, .examples = list               \
	}
static const struct opt_spec completion =
	ROWS_SPEC("completion", "Prints completion for a shell.", "bash|zsh|fish", completion_examples);
static const struct opt_spec man = ROWS_SPEC("man", "Prints the man page of a verb.", "VERB", man_examples);
static const struct opt_spec schema =
	ROWS_SPEC("schema", "Prints the JSON schema of a verb's input.", "VERB", schema_examples);
const struct verb verb_completion = {&completion, &defaults, run_completion, VERB_PERSON};
const struct verb verb_man = {&man, &defaults, run_man, VERB_PERSON};
const struct verb verb_schema = {&schema, &defaults, run_schema, VERB_PERSON};
