/* Sections and rule results: what ncu's details page shows. */
#ifndef ASSAY_READ_NCU_SECTION_H
#define ASSAY_READ_NCU_SECTION_H

#include "read/ncu/ncu.h"

struct ncu_row {                       /* one line of the details page */
	struct str section;            /* title: "GPU Speed Of Light Throughput" */
	struct str label, unit, value; /* as printed: unit and value scaled */
	struct str metric;             /* profiler name; empty where a CSV does not say it */
};
struct ncu_rule {                 /* one message of a rule of ncu */
	struct str id, section;   /* section: identifier, "SpeedOfLight" */
	const char *type;         /* "OPT", "WRN", "INF", "ERR", "OK" */
	struct str text;          /* links replaced by their labels */
	const char *speedup_type; /* "global", "local" or "" */
	double speedup_pct;       /* meaningful with a speedup_type */
};
struct ncu_section {
	struct str id, title;
	uint32_t order;
	struct ncu_row *rows;
	size_t n_rows;
	struct ncu_rule *rules;
	size_t n_rules;
};

/* Sections of a result in the order of the details page, rows sorted as there; lives in the arena. A CSV of the raw page
 * has none. Rows of metrics that the result lacks are left out, as ncu does. */
struct ncu_section *ncu_sections(const struct ncu_report *r, const struct ncu_result *res, struct arena *a, size_t *n);
/* A metric as a row of the details page: scaled as ncu does it. */
struct ncu_row ncu_row_of(const struct ncu_report *r, const struct ncu_metric *m, struct str label, struct arena *a);

#endif
