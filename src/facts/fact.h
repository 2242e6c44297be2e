/* The fact schema: what a reader says, with unit, scope, aggregation, source and tool version. One set per file read. */
#ifndef ASSAY_FACTS_FACT_H
#define ASSAY_FACTS_FACT_H

#include "base/arena.h"
#include "base/json.h"

enum fact_type { FACT_REAL, FACT_COUNT, FACT_TEXT };
enum fact_scope {
	FACT_REPORT,
	FACT_DEVICE,
	FACT_PROCESS,
	FACT_STREAM,
	FACT_KERNEL, /* all launches of one kernel, or the launch that was measured */
	FACT_LAUNCH, /* one launch among several of its kernel */
	FACT_RANGE,
	FACT_GRAPH,
	FACT_CMDLIST,
	FACT_SOURCE, /* one source line or instruction */
	FACT_SCOPES
};
const char *fact_scope_name(enum fact_scope s);

struct fact {
	struct str id; /* semantic id (metric.def), or the profiler's own name where there is none */
	enum fact_type type;
	double real;
	uint64_t count;
	struct str text;
	const char *unit;        /* base unit, "" for none */
	const char *aggregation; /* "sum", "avg", "p99", "value", ... */
	enum fact_scope scope;
	struct str subject; /* kernel, range, process; empty for the report */
	uint32_t i_subject; /* its number in the report */
	struct str source;  /* the profiler's own name of the value */
};

/* Where the facts of a set come from. */
struct fact_origin {
	const char *tool;   /* "ncu", "nsys", "kineto" */
	struct str version; /* as the file says; empty: it does not */
	bool is_verified;   /* the version is in the table of tested versions */
	struct str path;
	char sha256[65]; /* of the file; "" when not taken */
	struct str
		derived; /* "slimmed from SHA256": no original, refused where identity matters (RULES R2.4); empty: original */
};

/* What facts may be bound to (RULES R2.4); unbound facts are diagnostic. Empty strings are left out. */
struct fact_binding {
	struct str target, variant, kase, concurrency, phase, coverage, claim_layer;
};

struct fact_set {
	struct arena *arena;
	struct fact_origin origin;
	struct fact_binding binding;
	struct fact *items;
	size_t n, cap;
	struct json *unmodeled; /* what the reader kept without knowing it; may be NULL */
};

void fact_set_init(struct fact_set *s, struct arena *a, const char *tool);
/* Appends and returns a fact with id, unit, aggregation, scope; the caller sets value, subject and source. */
struct fact *fact_add(struct fact_set *s, struct str id, const char *unit, enum fact_scope scope);
void fact_add_real(struct fact_set *s, const char *id, const char *unit, double v);
void fact_add_count(struct fact_set *s, const char *id, const char *unit, uint64_t v);
void fact_add_text(struct fact_set *s, const char *id, struct str v);
/* {"format":"assay/facts-v1","origin":{...},"facts":[{id,value,unit,scope,aggregation,subject,source}...]} */
struct json *fact_set_json(const struct fact_set *s, struct arena *a);

#endif
