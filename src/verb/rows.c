/* What the option rows give beside parsing: shell completion, man pages, input schemas.
 * In: a shell or a verb. Out: text on stdout.
 * All of it is made from verb_table, so that it cannot differ from what is parsed.
 * Never: writes a file. */
#include <stddef.h>

#include "base/version.h"
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

/* assay(1): the list of verbs and what they share. */
static void man_of_all(struct buf *out)
{
	buf_printf(
		out,
		".TH ASSAY 1 \"\" \"assay %s\" \"assay\"\n.SH NAME\nassay \\- proves whether a GPU kernel got faster\n"
		".SH SYNOPSIS\nassay VERB [OPTIONS]\n.SH DESCRIPTION\n"
		"Checks that a kernel is right, measures, profiles and compares it, keeps the evidence and names the "
		"best "
		"version. Each verb has a page of its own, assay\\-VERB(1), and \\-\\-help.\n.SH VERBS\n",
		version_number());
	for (size_t i = 0; verb_table[i]; i++) {
		if (!(verb_table[i]->flags & VERB_HIDDEN))
			buf_printf(out, ".TP\n\\fB%s\\fR\n%s\n", verb_table[i]->spec->verb,
				   verb_table[i]->spec->summary);
	}
	buf_puts(out, ".SH EXIT STATUS\n"
		      ".TP\n0\ndone and passed\n"
		      ".TP\n1\nthe measured thing failed: does not build, wrong, crashed, too slow, cheated\n"
		      ".TP\n2\nusage or invalid input\n"
		      ".TP\n3\nthe environment is not ready\n"
		      ".TP\n4\nassay could not do its job\n"
		      ".TP\n130\ninterrupted\n"
		      ".SH ENVIRONMENT\n"
		      ".TP\nASSAY_OPTION, ASSAY_VERB__OPTION\noptions for all calls: assay\\-config(1)\n"
		      ".TP\nASSAY_CONFIG\nthe file of such options\n"
		      ".TP\nASSAY_CACHE_DIR\ncaches, instead of $XDG_CACHE_HOME/assay\n"
		      ".TP\nASSAY_LEASE_DIR\nwhere leases of devices lie; every user of a machine must have the same\n"
		      ".TP\nNO_COLOR\nno colours where \\-\\-color is not given\n"
		      ".SH FILES\n"
		      ".TP\n$XDG_CONFIG_HOME/assay/config\noptions for all calls\n"
		      ".TP\n$XDG_DATA_HOME/assay\nthe store of records and samples, the strategy memory\n"
		      ".TP\nassay\\-runs/\nruns of assay\\-optimize(1), below the working folder\n");
}

static bool run_man(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	if (strcmp(o->args.items[0], "assay") == 0) {
		man_of_all(call->out);
		return true;
	}
	const struct verb *v = wanted(options, e);
	if (!v)
		return false;
	struct opt_spec s = *v->spec;
	s.defaults = v->defaults;
	opt_man(&s, call->out);
	return true;
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
static const struct opt_spec man =
	ROWS_SPEC("man", "Prints the man page of a verb, or of `assay`.", "VERB", man_examples);
static const struct opt_spec schema =
	ROWS_SPEC("schema", "Prints the JSON schema of a verb's input.", "VERB", schema_examples);
const struct verb verb_completion = {&completion, &defaults, run_completion, VERB_PERSON};
const struct verb verb_man = {&man, &defaults, run_man, VERB_PERSON};
const struct verb verb_schema = {&schema, &defaults, run_schema, VERB_PERSON};
