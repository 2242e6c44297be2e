/* Messages between parent, worker and keeper: one table (wire/message.def), encode, decode. Pure: no descriptor, no
 * clock. Whatever a worker sends is hostile: decode checks every length and refuses trailing bytes. */
#ifndef ASSAY_WIRE_MESSAGE_H
#define ASSAY_WIRE_MESSAGE_H

#include "base/buf.h"
#include "base/err.h"
#include "wire/message.def"

#define WIRE_VERSION 3
#define WIRE_MAX_BYTES (64u << 20) /* one message */

enum wire_type {
#define WIRE_M(TYPE, name) WIRE_TYPE_##TYPE,
	WIRE_MESSAGES(WIRE_M)
#undef WIRE_M
		WIRE_TYPE_COUNT
};

#define WIRE_C_U64 uint64_t
#define WIRE_C_I64 int64_t
#define WIRE_C_F64 double
#define WIRE_C_STR struct str
#define WIRE_C_BLOB struct str
#define WIRE_F(m, kind, name) WIRE_C_##kind name;
#define WIRE_M(TYPE, name)                                                                                             \
	struct wire_##name {                                                                                           \
		WIRE_##TYPE(WIRE_F, name)                                                                              \
	};
WIRE_MESSAGES(WIRE_M)
#undef WIRE_M
#undef WIRE_F

struct wire_message {
	enum wire_type type;
	union {
#define WIRE_M(TYPE, name) struct wire_##name name;
		WIRE_MESSAGES(WIRE_M)
#undef WIRE_M
	} u;
};

/* Records inside blobs: fixed size, native layout on both sides (the same binary, or the embedded Python script). */
enum wire_arg_kind { WIRE_ARG_TENSOR, WIRE_ARG_SCALAR, WIRE_ARG_SCALAR_REF };
struct wire_arg { /* one parameter of the entry, in order */
	uint32_t kind;
	uint32_t dtype;    /* enum dtype */
	uint32_t i_tensor; /* WIRE_ARG_TENSOR */
	uint32_t unused;
	char name[48]; /* NUL-terminated, cut */
};
enum wire_output { WIRE_INPUT, WIRE_OUTPUT_ONLY, WIRE_IN_OUT };
struct wire_tensor {
	uint64_t offset, bytes; /* inside a region; guard zones lie before and behind */
	uint32_t dtype;
	uint32_t is_output; /* enum wire_output */
};
#define WIRE_GUARD_BYTES 256u
#define WIRE_GUARD_PATTERN 0xa5u

enum wire_call_flags {
	WIRE_CALL_COLD = 1,    /* evict the caches by reading before each call */
	WIRE_CALL_POISON = 2,  /* poison the outputs of the slot before each call */
	WIRE_CALL_HOLD = 4,    /* hold the queue until the entry has returned */
	WIRE_CALL_PROFILE = 8, /* bracket the last call with profiler start and stop */
	WIRE_CALL_WARMUP = 16, /* nothing is counted */
	WIRE_CALL_AS_IS = 32,  /* the slot is as the keeper left it: nothing is restored or poisoned before a call */
	WIRE_CALL_SEALED = 64  /* back to back, one wait for the device at the end; rows hold no times (GPU) */
};
enum wire_marks {
	WIRE_MARK_RELEASED = 1,  /* the helper released the hold */
	WIRE_MARK_SYNCED = 2,    /* the call synchronised with the device inside */
	WIRE_MARK_ALLOCATED = 4, /* the call allocated or freed device memory inside */
	WIRE_MARK_NO_RECORD = 8, /* CUPTI delivered no record for this call */
	WIRE_MARK_DROPPED = 16,  /* CUPTI dropped records in this batch */
	WIRE_MARKS_OF_WORKER = 31,
	/* set by the parent, from what others saw */
	WIRE_MARK_CONTAMINATED = 32, /* somebody else used the device or the CPUs meanwhile */
	WIRE_MARK_THROTTLED = 64,    /* the device was below its requested clocks */
	WIRE_MARK_UNOBSERVED = 128   /* nobody was looking */
};
/* One call. Times in ns; a missing number is NaN (doubles) so that the column says so. */
struct wire_row {
	uint64_t call, placement, block, side, slot;
	int64_t phase_ns; /* start delay that was asked for */
	double clock_mhz; /* SM clock by the flush kernel just before */
	double span_ns;   /* first start to last end on the device; on the CPU the call itself */
	double busy_ns;   /* union of the records */
	double kernel_sum_ns;
	double event_ns; /* event pair around the held queue, empty pair not yet taken off */
	double host_ns;  /* time inside the entry */
	double wall_ns;  /* entry and the device until idle */
	uint64_t n_launch, n_copy, n_stream;
	uint64_t marks;
};
enum wire_launch_kind {
	WIRE_LAUNCH_KERNEL,
	WIRE_LAUNCH_COPY,
	WIRE_LAUNCH_MEMSET,
	WIRE_LAUNCH_SYNC,  /* host waited for the device */
	WIRE_LAUNCH_ALLOC, /* device or pinned memory */
	WIRE_LAUNCH_FREE,
	WIRE_LAUNCH_GRAPH
};
struct wire_launch { /* one device activity of an identity call */
	uint64_t i_name;
	uint64_t kind; /* enum wire_launch_kind */
	uint64_t call;
	int64_t start_ns, end_ns; /* relative to the call's begin */
	uint64_t stream;
	uint32_t grid[3], block[3];
	uint32_t registers, shared_static, shared_dynamic, unused;
	uint64_t bytes; /* copies and memsets */
};

/* Appends the payload (without the frame). */
void wire_encode(struct buf *out, const struct wire_message *m);
/* Strings point into `payload`. */
MUST_USE bool wire_decode(struct wire_message *out, enum wire_type type, struct str payload, struct err *e);
const char *wire_name(enum wire_type type);

#endif
