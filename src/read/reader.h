/* The table of report readers: what `assay read FILE` can open. A reader is one const struct; its row stands in reader.c. */
#ifndef ASSAY_READ_READER_H
#define ASSAY_READ_READER_H

#include "facts/fact.h"
#include "facts/trace.h"
#include "read/sheet.h"

#define READER_HEAD (1u << 20) /* bytes of a file's beginning that `accepts` sees */

struct reader_damage { /* what is wrong with a file that could be read in part; text "" when nothing is */
	char text[256];
	bool is_unverified; /* written by a tool version that our tests do not cover */
	char version[96];   /* that version */
	char derived[128];  /* "slimmed from SHA256": assay made the file, it is no original; "": it does not say so */
};
struct reader_json_options {
	const char *metrics; /* pattern (sheet_match) of profiler names to add; NULL: those with semantic ids */
	const char *filter;  /* kernel name pattern, NULL: all */
};

/* Functions after `open` take what it returned. NULL: the reader does not offer it. */
struct reader {
	const char *name;  /* "ncu" */
	const char *title; /* "Nsight Compute report" */
	bool (*accepts)(struct str head, const char *path);
	/* NULL and an error that names the place when nothing can be read. */
	void *(*open)(const char *path, struct err *e);
	/* As open, when only that table will be asked for. May be NULL. */
	void *(*open_table)(const char *path, const char *table, struct err *e);
	void (*close)(void *report);
	void (*damage)(const void *report, struct reader_damage *out);
	/* Its sheets, the first one is what people want; in the arena. table NULL: at least those with is_main; "all": all;
	 * else at least that one where it exists. */
	struct sheet *(*sheets)(void *report, const char *table, struct arena *a, size_t *n);
	void (*facts)(void *report, struct fact_set *out, const struct reader_json_options *o);
	/* More members of the JSON answer. */
	void (*json)(void *report, struct json *out, const struct reader_json_options *o);
	void (*details)(void *report, struct buf *out); /* the long text */
	/* The tool's own export form; flush is called with full buffers and empties them. */
	void (*csv)(void *report, struct buf *out, void (*flush)(void *ctx, struct buf *out), void *ctx);
	/* What ran when, into an initialised trace. */
	bool (*trace)(void *report, struct trace *out, struct err *e);
	struct sheet *(*diff)(void *before, void *after, struct arena *a, size_t *n); /* tables beside the facts' */
	/* Metrics whose profiler name matches, one row a result and metric. */
	struct sheet *(*metrics)(void *report, const char *pattern, struct arena *a);
};

const struct reader *const *reader_table(size_t *n);
/* The reader whose magic fits the file's beginning; NULL: none does. */
const struct reader *reader_find(struct str head, const char *path);
/* Opens `path` with the reader that fits, or says what was looked for. table: the only one that will be asked for, or NULL. */
MUST_USE void *reader_open(const struct reader **which, const char *path, const char *table, struct err *e);

#endif
