/* What a user sets for all calls: a file of lines `option = value` or `verb.option = value`, and variables ASSAY_OPTION or
 * ASSAY_VERB__OPTION. Both set rows that are OPT_SETTABLE, so there is no second list of names. Precedence: command line,
 * environment, file, built-in; within the environment and within the file the line of a verb goes before the general one. */
#ifndef ASSAY_BASE_CONFIG_H
#define ASSAY_BASE_CONFIG_H

#include "base/opt.h"

struct config_entry {
	const char *key;    /* "noise", "bench.noise" */
	const char *verb;   /* NULL: of every verb that has the option */
	const char *option; /* the row's name */
	struct str value;
	const char *origin; /* "/home/a/.config/assay/config:3", "ASSAY_NOISE" */
	size_t line;        /* of the file, from 1; 0: the environment */
};
struct config {
	struct arena *arena;
	const struct opt_spec *const *specs;
	size_t n_specs;
	const char *path; /* $ASSAY_CONFIG, $XDG_CONFIG_HOME/assay/config, ~/.config/assay/config; NULL: none of them */
	struct config_entry *items;
	size_t n;
};

/* Where the file is looked for; it need not be there. */
void config_init(struct config *out, struct arena *a, const struct opt_spec *const *specs, size_t n);
/* Reads the environment and the file; ERR_USAGE names file and line, or the variable, and the nearest name. */
MUST_USE bool config_load(struct config *c, struct err *e);
/* One line, comments and blank ones aside, as the file has it: key and value looked up and checked. */
MUST_USE bool config_read_line(const struct config *c, struct config_entry *out, struct str line, const char *origin,
			       struct err *e);
/* Verb and option of a key alone. */
MUST_USE bool config_read_key(const struct config *c, struct config_entry *out, const char *key, struct err *e);
/* The entry in force for a row of a verb; NULL: the built-in value is. */
const struct config_entry *config_find(const struct config *c, const struct opt_spec *s, const struct opt_row *r);
/* Puts what is set into the options; used (n_rows) gets the entry of each row, or NULL. */
MUST_USE bool config_apply(const struct config *c, const struct opt_spec *s, void *options,
			   const struct config_entry **used, struct err *e);
/* The word of the command line that says the same, "--noise=0.3", "--no-quiet". */
const char *config_word(struct arena *a, const struct opt_row *r, struct str value);
/* "ASSAY_BENCH__NOISE"; verb NULL: "ASSAY_NOISE". */
const char *config_variable(struct arena *a, const char *verb, const char *option);
/* The row's value in an options struct as the file would have it; "" when there is none. */
const char *config_value_text(struct arena *a, const struct opt_row *r, const void *options);
/* Lines of the file with `key` set to value (in its place, or at the end), or taken out (value.p NULL). *found: it was
 * there. */
MUST_USE bool config_edit(struct buf *out, const struct config *c, const char *key, struct str value, bool *found,
			  struct err *e);

#endif
