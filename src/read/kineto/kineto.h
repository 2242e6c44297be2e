/* PyTorch (Kineto) traces: JSON of any size, plain, gzip, zstd or zip, read as a stream. What ran on the GPU, what launched
 * it, which operator asked for it, and how far the trace can be trusted.
 * Time is int64 nanoseconds, exactly as written (base_ns is not added). Memory: at most 40 bytes per GPU activity and per
 * launch call, 8 per operator call, and the distinct names; beyond options.memory these lie in an unlinked file. */
#ifndef ASSAY_READ_KINETO_KINETO_H
#define ASSAY_READ_KINETO_KINETO_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "facts/trace.h"

enum kineto_kind { KINETO_KERNEL, KINETO_MEMCPY, KINETO_MEMSET, KINETO_KINDS };
enum kineto_activity_flags {
	KINETO_LINKED = 1,      /* its launch call is in the trace */
	KINETO_SUSPECT = 2,     /* duration cannot be true: see trust.n_suspect */
	KINETO_ZERO = 4,        /* duration 0, or a time of 0 */
	KINETO_GRAPH = 8,       /* launched by a graph */
	KINETO_COLLECTIVE = 16, /* a communication kernel (nccl, rccl, ...) */
};
struct kineto_activity { /* 40 bytes */
	int64_t start_ns, dur_ns;
	uint32_t name;        /* index into names */
	uint32_t config;      /* index into configs */
	uint32_t correlation; /* 0: none */
	uint32_t external;    /* "External id" of the operator; 0: none */
	uint16_t lane;        /* index into lanes */
	uint8_t kind;         /* enum kineto_kind */
	uint8_t flags;
};
struct kineto_launch { /* 40 bytes: a call of the runtime or driver that can start work on the device, or waits for it */
	int64_t start_ns;
	uint32_t dur_ns;                              /* saturates at 4.29 s */
	uint32_t name, correlation, external, thread; /* thread: index into threads */
	uint32_t n_activities;                        /* that carry its correlation */
	uint32_t config; /* index into configs: ROCm writes the launch shape here, not at the kernel */
};
struct kineto_config {              /* distinct launch shapes */
	uint32_t grid[3], block[3]; /* 0: not written */
	uint32_t registers, shared_bytes;
	uint64_t bytes; /* of a copy or memset */
	uint8_t has;    /* 1: grid and block, 2: registers, 4: shared memory, 8: bytes */
};
struct kineto_lane { /* a stream of a device */
	int64_t device, stream, context;
};
struct kineto_thread {
	int64_t pid, tid;
};
struct kineto_span { /* an annotation, a profiler step, a range of the profiler itself */
	int64_t start_ns, dur_ns;
	uint32_t name, place; /* place: thread, or lane when on the device */
	uint8_t on_device, is_step, is_window;
};
struct kineto_calls { /* calls of one name: operators, runtime functions, synchronisation */
	uint32_t name;
	uint8_t is_operator, is_runtime, is_sync;
	uint64_t n;
	int64_t total_ns, max_ns;
};
struct kineto_memory { /* "[memory]" events */
	uint64_t n;
	int64_t peak_allocated, peak_reserved; /* bytes; -1: not written */
	int64_t peak_ns;
	int64_t n_alloc, n_free;
};

struct kineto_trust {                                    /* what stands against the numbers */
	uint64_t n_events, n_metadata, n_flows, n_other; /* n_other: events of categories that are not modeled */
	uint64_t n_unlinked;                             /* GPU activities without a launch call in the trace */
	uint64_t n_empty_launches;                       /* launch calls without GPU activity */
	uint64_t n_graph_launches, n_graph_kernels;
	uint64_t n_graph_empty;      /* graph launches without any activity: replays that were not recorded */
	uint64_t n_zero, n_negative; /* durations of GPU activities */
	uint64_t
		n_suspect; /* end after the start of the next activity of their stream, and over 100 times the median of their name */
	int64_t suspect_ns;     /* time beyond that start */
	uint64_t n_overlapping; /* neighbours on one stream that overlap: real with programmatic launches */
	uint64_t n_duplicate_keys, n_bad_numbers, n_bad_escapes, n_string_numbers, n_not_finite;
	uint64_t n_raw_breaks; /* events with a line break or quotation mark inside a string, read all the same */
	uint64_t n_resyncs, lost_bytes; /* places that could not be read, and bytes that were passed over */
	uint64_t n_precision;           /* times with more digits than a nanosecond */
	uint64_t n_wide_ids;            /* ids above 32 bits; beyond 2^20 of them: left out */
	int64_t overhead_ns;            /* of the profiler, as it says itself */
	uint64_t n_overhead;
	bool is_torn;              /* the file ends inside the trace */
	uint64_t torn_offset;      /* of the first byte that is not used, in the decompressed text */
	struct str source_problem; /* trouble with the compression; empty: none */
};

enum kineto_flags {
	KINETO_KERNELS_ONLY = 1, /* GPU activities only: no launches, operators, spans */
	KINETO_ONE_THREAD = 2,
	KINETO_SCOPES = 4, /* also what scope.h needs: 40 bytes per operator, module call and annotation */
	KINETO_MEMORY = 8, /* also what memory.h needs: 40 bytes per "[memory]" event */
};
struct kineto_options {
	unsigned flags;
	size_t memory; /* bytes of activities, launches and operators before they go to a file; 0: 1 GiB */
};

struct kineto_trace {
	struct str *names; /* decoded; invalid UTF-8 is kept as it is */
	size_t n_names;
	struct kineto_activity *activities; /* by start, then lane */
	size_t n_activities;
	struct kineto_launch *launches; /* by correlation */
	size_t n_launches;
	struct kineto_config *configs;
	size_t n_configs;
	struct kineto_lane *lanes;
	size_t n_lanes;
	struct kineto_thread *threads;
	size_t n_threads;
	struct kineto_span *spans; /* by start */
	size_t n_spans;
	struct kineto_calls *calls;
	size_t n_calls;
	struct kineto_memory memory;
	struct kineto_trust trust;
	struct str *unmodeled; /* categories and top-level keys that are not modeled (names only) */
	size_t n_unmodeled;
	struct json *meta; /* known top-level keys: deviceProperties, distributedInfo, versions, ... */
	struct str schema; /* schemaVersion; empty: the file does not say */
	bool is_verified;  /* that schema is covered by our tests, or the file names none */
	bool has_base;
	int64_t base_ns;            /* baseTimeNanoseconds */
	const char *compression;    /* "none", "gzip", "zstd", "zip" */
	uint64_t bytes;             /* of the decompressed text that was read */
	int64_t first_ns, last_ns;  /* first start and last end of GPU activities; 0, 0 when there is none */
	struct kineto_store *store; /* inner */
};

bool kineto_is_trace(struct str head); /* first bytes of the decompressed text */
/* Reads a whole trace. What is torn or broken is read as far as it goes and stated in trust; a file that is no trace, or
 * holds no event and is broken: NULL. Free with kineto_free. */
MUST_USE struct kineto_trace *kineto_read(const char *path, const struct kineto_options *o, struct err *e);
void kineto_free(struct kineto_trace *t);
/* The operator that asked for an activity: index into names, or UINT32_MAX. */
uint32_t kineto_operator(const struct kineto_trace *t, const struct kineto_activity *v);
/* Communication kernels of NCCL, RCCL and their like, by name. */
bool kineto_is_collective(struct str kernel);
/* The trace in the common form: activities that are suspect end where the next one of their stream starts. */
void kineto_to_trace(struct trace *out, const struct kineto_trace *t);
/* The launch call of an activity, or NULL. */
const struct kineto_launch *kineto_launch_of(const struct kineto_trace *t, uint32_t correlation);

#endif
