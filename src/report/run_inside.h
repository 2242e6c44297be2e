/* Inside of the run page: what its parts share. Each part writes one or two sections from records, or says what is not
 * there. Only run_page.c and its parts include this. */
#ifndef ASSAY_REPORT_RUN_INSIDE_H
#define ASSAY_REPORT_RUN_INSIDE_H

#include "base/err.h"
#include "base/json.h"
#include "report/html.h"

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
	int64_t best; /* -1: none */
};

/* Reads manifest and bench records of p->folder; out, arena and folder are set by the caller. */
MUST_USE bool page_open(struct page *p, struct err *e);
const char *page_text(const struct page *p, const struct json *j, const char *key, const char *fallback);
const char *page_label(const struct page *p, size_t i);  /* "v3" */
const char *page_ms(const struct page *p, double ms);    /* "3.92 ms", "-" */
const char *page_number(const struct page *p, double v); /* counts whole, others to four digits, "-" */
/* The series that the run is ranked by: kernel.cold, or kernel.events where that is the source. */
const struct json *page_primary(const struct json *bench);
const char *page_verdict(const struct page *p);                                    /* the page's first line */
void page_note(const struct page *p, const char *text);                            /* a dim paragraph */
bool page_file(const struct page *p, size_t i, const char *name, struct str *out); /* of iter_v<i> */

void page_versions(const struct page *p);
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
