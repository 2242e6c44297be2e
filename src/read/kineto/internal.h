/* Inside read/kineto only: what the reader gathers while events go by. */
#ifndef ASSAY_READ_KINETO_INTERNAL_H
#define ASSAY_READ_KINETO_INTERNAL_H

#include "base/map.h"
#include "read/kineto/kineto.h"
#include "read/kineto/structure.h"

enum category {
	CAT_UNKNOWN,
	CAT_KERNEL,
	CAT_MEMCPY,
	CAT_MEMSET,
	CAT_RUNTIME,
	CAT_OPERATOR,
	CAT_ANNOTATION,
	CAT_DEVICE_ANNOTATION,
	CAT_PYTHON,
	CAT_SYNC,
	CAT_OVERHEAD,
	CAT_WINDOW,
	CAT_FLOW,
	CAT_INSTANT,
	CAT_OTHER,
	CATEGORIES
};
/* CAT_UNKNOWN when the table lacks it. */
enum category category_of(struct str text);

/* A growing array that moves from memory to an unlinked file when all of a trace's arrays pass the limit. */
struct column {
	char *p;
	size_t n, cap, size; /* elements, elements, bytes of one */
	int fd;              /* -1: in memory */
};
struct column_budget {
	size_t limit, used; /* bytes */
};
/* Room for one element at the end, counted at once; NULL: neither memory nor file has it, errno says why. */
void *column_add(struct column *c, struct column_budget *b);
void column_release(struct column *c);

enum name_flags { NAME_LAUNCH = 1, NAME_SYNC = 2, NAME_COLLECTIVE = 4, NAME_STEP = 8, NAME_GRAPH = 16 };
struct name {
	struct str raw; /* as in the file, still with escapes */
	uint64_t hash;
	unsigned flags;
	uint32_t calls[3]; /* index + 1 into calls: as operator, as runtime call, as synchronisation */
};
struct operator_id { /* 8 bytes a call */
	uint32_t external, name;
};
struct memory_sum {
	uint64_t n, n_alloc, n_free;
	int64_t peak_allocated, peak_reserved, peak_ns;
};

/* What the text says outside of its events. */
struct meta {
	struct arena arena;
	struct json *members; /* the known ones */
	struct map unmodeled; /* names of the others */
	bool has_base;
	int64_t base_ns;
};
struct category_slot {
	char text[28];
	uint32_t n;
	enum category kind;
};

/* Gets what the scan finds in place of the store, in the order of the text (KINETO_ONE_THREAD only). */
struct kineto_hook {
	void (*events)(void *ctx, const struct piece *p);
	void (*member)(void *ctx, struct str key, struct str value); /* beside the events */
	void *ctx;
};

struct kineto_store {
	const struct kineto_hook *hook; /* NULL: into the store */
	struct category_slot slots[64];
	struct arena arena; /* names, tables, meta: owned by the trace */
	struct kineto_trace trace;
	unsigned flags;
	uint32_t wanted; /* bit per category */
	struct column_budget budget;
	/* of kineto_activity, kineto_launch, operator_id, kineto_span, kineto_scope, kineto_allocation */
	struct column activities, launches, operators, spans, scopes, allocations;
	struct name *names;
	size_t n_names, cap_names;
	uint32_t *name_slots; /* index + 1 */
	size_t n_name_slots;
	size_t cap_configs, cap_lanes, cap_threads, cap_calls;
	uint32_t *config_slots, *thread_slots;
	size_t n_config_slots, n_thread_slots;
	uint32_t last_lane, last_thread;
	uint64_t n_category[CATEGORIES];
	struct memory_sum memory[2]; /* CPU, device */
	struct map unmodeled, wide_ids;
	struct meta meta;
	uint64_t n_device, n_without_ts, n_without_dur; /* events of the GPU, and those that lack a key */
	bool failed;                                    /* an array could not grow; error says why */
	int error;
};

void gather_init(struct kineto_store *s, const struct kineto_options *o);
void gather_release(struct kineto_store *s);
uint32_t gather_name(struct kineto_store *s, struct str raw);
uint32_t gather_config(struct kineto_store *s, const struct kineto_config *c);
uint16_t gather_lane(struct kineto_store *s, int64_t device, int64_t stream, int64_t context);
uint32_t gather_thread(struct kineto_store *s, int64_t pid, int64_t tid);
enum calls_kind { CALLS_OPERATOR, CALLS_RUNTIME, CALLS_SYNC };
void gather_call(struct kineto_store *s, uint32_t name, enum calls_kind kind, int64_t dur_ns);
void gather_unmodeled(struct kineto_store *s, struct str name);

/* Reads the events of a piece into the store. */
void kineto_events(struct kineto_store *s, const struct piece *p);
/* "1712195495521130.028" (microseconds) -> nanoseconds, exactly. 0: no number. Counts oddities in trust. */
bool kineto_time(struct kineto_trust *trust, const char *p, const char *end, int64_t *ns);

/* One decompressed text out of a file. */
struct input;
MUST_USE struct input *input_open(const char *path, struct err *e);
/* Up to cap bytes; 0 at the end. Trouble inside the compression ends the text and is kept for source_problem. */
size_t input_read(struct input *s, char *p, size_t cap);
const char *input_compression(const struct input *s);
struct str input_problem(const struct input *s);
/* Bytes of the file so far, and in all; 0: not known (a pipe). */
void input_position(const struct input *s, uint64_t *done, uint64_t *size);
void input_close(struct input *s);

/* Feeds the whole text through pieces into the store. */
MUST_USE bool scan_trace(struct kineto_store *s, struct input *source, const char *path, struct err *e);
/* Where the event that begins at p[at] ends, when line breaks and quotation marks inside strings are allowed; 0: it does
 * not end before n. Sets the quotation marks of its strings in `quotes` (bit i: p[i]). */
size_t scan_tolerant(const char *p, size_t at, size_t n, uint64_t *quotes);
/* The next place at or behind `from` that looks like the head of an event; n when there is none. */
size_t scan_event_head(const char *p, size_t from, size_t n);
/* Behind the JSON value that begins at p[at]; 0: it does not end before n. */
size_t scan_value_end(const char *p, size_t at, size_t n);

void kineto_meta(struct meta *m, struct str key, struct str value);

/* Sorts, links, counts: after the last event. */
MUST_USE bool kineto_finish(struct kineto_store *s, struct err *e);

#endif
