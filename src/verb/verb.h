/* A verb: an options struct, its rows, its body. verb/table.c lists them in help order; the doors (argv, MCP, requests)
 * all go through this. A body fills `out` (printed to stdout when it returns) and sets the exit status; it returns false
 * with an err only when assay could not do its job. */
#ifndef ASSAY_VERB_VERB_H
#define ASSAY_VERB_VERB_H

#include "base/opt.h"
#include "base/term.h"

/* First member of every options struct. */
struct verb_common {
	bool json;         /* --json: one document on stdout instead of text */
	bool quiet;        /* --quiet: no progress on stderr */
	bool verbose;      /* --verbose */
	const char *color; /* auto, always, never */
};
#define VERB_COMMON_DEFAULTS                                                                                           \
	{                                                                                                              \
		.color = "auto"                                                                                        \
	}
#define VERB_COMMON_ROWS                                                                                               \
	{.name = "json",                                                                                               \
	 .type = OPT_FLAG,                                                                                             \
	 .offset = offsetof(struct verb_common, json),                                                                 \
	 .help = "Print one JSON document on stdout."},                                                                \
		{.name = "quiet",                                                                                      \
		 .letter = 'q',                                                                                        \
		 .type = OPT_FLAG,                                                                                     \
		 .offset = offsetof(struct verb_common, quiet),                                                        \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "No progress on stderr, no charts in text."},                                                 \
		{.name = "verbose",                                                                                    \
		 .letter = 'v',                                                                                        \
		 .type = OPT_FLAG,                                                                                     \
		 .offset = offsetof(struct verb_common, verbose),                                                      \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Say more on stderr."},                                                                       \
	{                                                                                                              \
		.name = "color", .type = OPT_ENUM, .offset = offsetof(struct verb_common, color),                      \
		.choices = "auto|always|never", .meta = "WHEN", .flags = OPT_SETTABLE,                                 \
		.help = "Colours in text output."                                                                      \
	}

struct verb_call {
	struct arena *arena; /* lives as long as the call */
	struct buf *out;     /* stdout */
	struct term term;
	const char *command; /* the command line as one shell-quoted text, for records */
	const char *program; /* path of this binary, for workers */
	int status;          /* exit status when the body returns true */
};
/* Prints what is in call->out now (a verb that runs long says early where its files are). */
void verb_flush(struct verb_call *call);

/* What a door that serves agents says of a verb; its tools carry them as hints. */
enum verb_flags {
	VERB_HIDDEN = 1,
	VERB_READ_ONLY = 2,      /* writes nothing but caches */
	VERB_LONG = 4,           /* may take minutes: a job */
	VERB_DESTRUCTIVE = 8,    /* can remove or replace what is there */
	VERB_PERSON = 16,        /* for a person's shell: no tool */
	VERB_DOOR = 32,          /* a door of its own: `run` is NULL, door/ serves it */
	VERB_QUICK = 64,         /* starts nothing and reads tables only: a door may run it in its own process */
	VERB_UNCONFIGURED = 128, /* takes nothing from a configuration: it is to work when that is broken */
};
struct verb {
	const struct opt_spec *spec;
	const void *defaults; /* spec->options_size bytes */
	bool (*run)(void *options, struct verb_call *call, struct err *e);
	unsigned flags;
};
extern const struct verb *const verb_table[]; /* NULL-terminated, in help order */
const struct verb *verb_find(const char *name);
/* The specs of all verbs that are not hidden, in help order; room for VERB_MOST. Returns their number. */
#define VERB_MOST 64
size_t verb_specs(const struct opt_spec **out);

/* Whether verb_confine can work here; else the reason. */
bool verb_can_confine(char why[100]);
/* Confines writes of this process and its children to `folders` (absolute) and leases. False: the kernel cannot. */
bool verb_confine(const char *const *folders, size_t n);
/* Puts the JSON document (--json) or the text into call->out. */
void verb_put_json(struct verb_call *call, const struct json *j);
MUST_USE bool verb_may_write(struct verb_call *call, const char *path, struct err *e); /* NULL: nothing is written */
MUST_USE bool verb_write_json(const char *path, const struct json *j, struct err *e);

#endif
