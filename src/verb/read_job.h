/* The verb `read` in parts: options, what is open, what is printed. */
#ifndef ASSAY_VERB_READ_JOB_H
#define ASSAY_VERB_READ_JOB_H

#include "base/scratch.h"
#include "read/reader.h"
#include "timeline/timeline.h"
#include "verb/verb.h"

struct read_options {
	struct verb_common common;
	struct opt_list files, saving;
	bool csv, details, diff, join;
	const char *metrics, *filter, *sort, *columns, *table, *perfetto, *steps;
	int64_t top, budget;
};
struct read_job { /* one open file */
	const struct read_options *o;
	struct verb_call *call;
	struct arena *a;
	const char *path;      /* as given */
	struct scratch export; /* of a report that nsys had to export first; path NULL: none */
	const struct reader *reader;
	void *report;
	struct reader_damage damage;
	struct trace trace;
	bool has_trace;
	struct timeline timeline; /* where has_trace */
};

/* False: nothing can be read. Close in every case. */
MUST_USE bool read_job_open(struct read_job *j, const struct read_options *o, struct verb_call *call, const char *path,
			    struct err *e);
/* Reads what ran when and computes the timeline, once. False: the reader gives none. */
MUST_USE bool read_job_timeline(struct read_job *j, struct err *e);
/* Whether the timeline belongs to what was asked for, or is quick enough to come with it. */
bool read_job_wants_timeline(const struct read_job *j);
void read_job_close(struct read_job *j);

/* The sheets that were asked for: *n of them from *first on. */
MUST_USE bool read_job_sheets(struct read_job *j, struct sheet **first, size_t *n, struct err *e);
MUST_USE bool read_print_text(struct read_job *j, struct err *e);
MUST_USE bool read_print_csv(struct read_job *j, struct err *e);
MUST_USE bool read_print_json(struct read_job *j, struct err *e);
/* Sheets alone, as text, CSV or JSON (inside `doc`). */
MUST_USE bool read_print_sheets(const struct read_options *o, struct verb_call *call, struct json *doc, struct sheet *s,
				size_t n, struct err *e);
/* Two files of one kind; several ranks. */
MUST_USE bool read_diff(const struct read_options *o, struct verb_call *call, struct err *e);
MUST_USE bool read_ranks(const struct read_options *o, struct verb_call *call, struct err *e);
/* A trace, profiled launches, binaries and compiler logs: one kernel over all of them. */
MUST_USE bool read_join(const struct read_options *o, struct verb_call *call, struct err *e);
/* {"format","tool","reader","claim_layer","formal"} */
struct json *read_document(struct arena *a, const char *format, const char *reader);

#endif
