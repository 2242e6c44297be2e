/* Option rows: one table per verb gives argv parsing, --help, completion, the man page, the MCP input schema and the
 * validation of requests. A row stores into the verb's options struct at `offset`. */
#ifndef ASSAY_BASE_OPT_H
#define ASSAY_BASE_OPT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/dims.h"
#include "base/err.h"
#include "base/json.h"

enum opt_type {
	OPT_FLAG,   /* bool */
	OPT_STRING, /* const char * */
	OPT_I64,    /* int64_t, range min..max */
	OPT_F64,    /* double, range min..max */
	OPT_ENUM,   /* const char *, one of `choices` (bar list) */
	OPT_LIST,   /* struct opt_list: repeatable, also comma-separated */
	OPT_COMMAND /* struct opt_list: everything after -- */
};
struct opt_list {
	const char **items;
	size_t n;
};
struct opt_row {
	const char *name; /* "max-iterations" */
	char letter;      /* 0: none */
	enum opt_type type;
	size_t offset;
	const char *meta;    /* "N" in the help text */
	const char *choices; /* OPT_ENUM: "cuda|c|triton" */
	double min, max;     /* both 0: unbounded */
	unsigned flags;
	const char *help;
};
enum opt_flags {
	OPT_REQUIRED = 1,
	OPT_HIDDEN = 2,
	OPT_SETTABLE = 4, /* may come from the environment and the config file (base/config.h) */
	OPT_ALONE = 8,    /* given: no other option or argument is required any more */
};
struct opt_spec {
	const char *verb, *summary;
	const char *positional; /* "FILE", "A B [C ...]", or NULL */
	size_t min_args, max_args;
	const struct opt_row *rows;
	size_t n_rows;
	size_t options_size;
	size_t args_offset;          /* struct opt_list of positionals; ignored when positional is NULL */
	size_t dims_offset;          /* struct opt_dims; SIZE_MAX: the verb has no dims */
	const char *const *examples; /* NULL-terminated command lines that run */
	const char *notes;           /* more text for --help and the man page, or NULL */
	const void *defaults;        /* options_size bytes: --help and the man page name them; NULL: they do not */
};

/* --help (or -h, where no row has that letter) before any lone --: print opt_help and parse nothing. */
bool opt_wants_help(const struct opt_spec *s, size_t argc, char **argv);
/* Parses argv (without program and verb) into `options` (options_size bytes, holding the defaults). Both --a=b and
 * --a b, -x, -xVALUE, --no-a for flags, `--`. Unknown options name the nearest one; a range error names the range; a
 * missing required option says so. */
MUST_USE bool opt_parse(const struct opt_spec *s, void *options, struct arena *a, size_t argc, char **argv,
			struct err *e);
/* The same; seen (n_rows, zeroed) says of each row whether argv gave it. */
struct opt_words {
	size_t n;
	char **items;
	bool *seen;
};
MUST_USE bool opt_parse_words(const struct opt_spec *s, void *options, struct arena *a, const struct opt_words *w,
			      struct err *e);
/* The same from a JSON object whose keys are row names with _ for -, "args" and "dims". Unknown keys are refused. */
MUST_USE bool opt_from_json(const struct opt_spec *s, void *options, struct arena *a, const struct json *j,
			    struct err *e);
void opt_help(const struct opt_spec *s, struct buf *out, size_t width);
struct json *opt_schema(const struct opt_spec *s, struct arena *a); /* JSON schema of the input */
void opt_man(const struct opt_spec *s, struct buf *out);
enum opt_shell { OPT_BASH, OPT_ZSH, OPT_FISH };
void opt_completion(const struct opt_spec *const *specs, size_t n, enum opt_shell shell, struct buf *out);

#endif
