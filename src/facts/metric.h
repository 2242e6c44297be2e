/* Metric dictionary: base units of Nsight Compute metrics (reports store none) and semantic ids that hold over profilers
 * and versions. */
#ifndef ASSAY_FACTS_METRIC_H
#define ASSAY_FACTS_METRIC_H

#include "base/str.h"

/* Base unit of an ncu metric as ncu 2025.3 prints it with --print-units base: word rule on the name, exceptions in
 * ncu_unit.def. "" for a plain count or ratio, also when nothing is known. Static text. */
const char *metric_unit(struct str name);

enum metric_id {
#define METRIC(e, id, unit, aggregation, section, label, names) METRIC_##e,
#include "facts/metric.def"
#undef METRIC
	METRIC_COUNT
};
struct metric_row {
	const char *id;          /* "sm.throughput" */
	const char *unit;        /* base unit */
	const char *aggregation; /* over units of the chip: sum, avg, max, ratio, value */
	const char *section;     /* ncu section that collects it */
	const char *label;
	const char *names; /* profiler names by preference, "|" between */
};
const struct metric_row *metric_row(enum metric_id m);
bool metric_from_id(struct str id, enum metric_id *out);
/* The semantic id of a profiler's metric name; false: it has none. */
bool metric_from_name(struct str name, enum metric_id *out);
/* The i-th profiler name of m; empty beyond the last. */
struct str metric_name(enum metric_id m, size_t i);

#endif
