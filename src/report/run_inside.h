/* Inside of the run page: what its parts share. Each part writes one or two sections from records, or says what is not
 * there. Only run_page.c and its parts include this. */
#ifndef ASSAY_REPORT_RUN_INSIDE_H
#define ASSAY_REPORT_RUN_INSIDE_H

#include "base/err.h"
#include "base/json.h"
#include "report/chart.h"
#include "report/html.h"
#include "store/column.h"

struct store;

enum { PAGE_MOST_TEXT = 1 << 20 };

struct page {
	struct buf *out;
	struct arena *arena;
	const char *folder;
	struct store *store; /* where trials and telemetry lie; NULL: not at hand */
	struct json *manifest;
	const struct json *versions; /* iterations[] */
	struct json **bench;         /* benchmark_result.json of each, or NULL */
	size_t n;
	int64_t best;              /* -1: none */
	const char *const *labels; /* names of the versions; NULL: v0, v1, ... */
	const void *context;       /* of a page whose sections need more than this */
	const char *file;          /* the one record that all is made from; NULL: the manifest of a run */
};

/* Reads manifest and bench records of p->folder; out, arena and folder are set by the caller. */
MUST_USE bool page_open(struct page *p, struct err *e);
/* A page whose only version is this bench record. */
void bench_page_of(struct page *p, struct json **bench);
const char *page_text(const struct page *p, const struct json *j, const char *key, const char *fallback);
const char *page_label(const struct page *p, size_t i);  /* "v3" */
const char *page_ms(const struct page *p, double ms);    /* "3.92 ms", "-" */
const char *page_number(const struct page *p, double v); /* counts whole, others to four digits, "-" */
/* The series that the run is ranked by: kernel.cold, or kernel.events where that is the source. */
const struct json *page_primary(const struct json *bench);
const char *page_verdict(const struct page *p);                                             /* the page's first line */
void page_head(const struct page *p, const char *title, const char *verdict, bool is_good); /* heading, first line */
struct page_section {
	const char *id, *name;
	void (*put)(const struct page *p);
};
void page_sections(const struct page *p, const struct page_section *list, size_t n); /* contents, then each */
void page_note(const struct page *p, const char *text);                              /* a dim paragraph */
bool page_file(const struct page *p, size_t i, const char *name, struct str *out);   /* of iter_v<i> */

/* A row of a table `fact|value`. */
void page_pair(const struct page *p, const char *key, struct str value);
/* All plain members of the object x as such rows. */
void page_members(const struct page *p, const char *prefix, const struct json *x);

/* `flags` and `mode` of assay/trial-v1 (docs/FORMATS.md) */
enum { PAGE_ROW_COLD = 1, PAGE_ROW_WARMUP = 2, PAGE_ROW_CHECKED = 8, PAGE_ROW_TIME = 1, PAGE_ROW_EVENT = 2 };
struct page_columns { /* a column file of the store; given back with page_columns_shut */
	struct column_file f;
	struct file_map map;
	bool is_open; /* false: not at hand */
};
void page_columns_open(const struct page *p, const char *digest, struct page_columns *out);
void page_columns_shut(struct page_columns *c);
struct page_view { /* the rows of a trial that are the samples of one series */
	double *t_ns, *clock;
	size_t n;
};
/* Calls of a batch share its begin and end; rows from `from` on are placed evenly between. */
void page_place_batch(struct page_view *v, size_t from, double begin, double end);
/* The chart of samples in order of time; `v` NULL: by their number. Lanes are what record.telemetry saw meanwhile. */
void page_series(const struct page *p, const struct json *record, const struct chart_sample *s,
		 const struct page_view *v);

void page_versions(const struct page *p);
void page_configurations(const struct page *p); /* under the versions */
void page_samples(const struct page *p);
void page_limits(const struct page *p);
void page_parts(const struct page *p);
void page_code(const struct page *p);
void page_correctness(const struct page *p);
void page_integrity(const struct page *p);
void page_memory(const struct page *p);
void page_sources(const struct page *p);
void page_environment(const struct page *p);
void page_records(const struct page *p);

#endif
