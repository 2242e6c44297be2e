/* Inside of the fake libcuda. One lock over everything; a thread a stream. Device memory is host memory at another
 * address: what the host sees at a device address is unmapped, kernels get the translated one. Times are simulated: the
 * clock is the host's plus what waiting for the device has added, an activity takes as long as the model says however
 * long the host took for its effect. What the checks refuse was seen on an H200 with driver 580.159 (2026-11-29). */
#ifndef ASSAY_FAKE_INSIDE_H
#define ASSAY_FAKE_INSIDE_H

#include <pthread.h>

#include "gpu/cupti.h"
#include "gpu/driver.h"
#include "gpu/twins.h"

#define FAKE_API __attribute__((visibility("default")))
/* Declares a function with the type that driver.def gives its row, then begins its definition. */
#define FAKE_CU(field, symbol)                                                                                         \
	FAKE_API __typeof__(*((struct gpu_driver *)0)->field) symbol;                                                  \
	FAKE_API int symbol

enum { MAX_GPUS = 8, MAX_STREAMS = 64, UNIT = 2 << 20 /* granularity of cuMemCreate */ };
/* cuda.h, enum cudaError_enum, beyond gpu/driver.h */
enum {
	CU_NOT_INITIALIZED = 3,
	CU_INVALID_DEVICE = 101,
	CU_INVALID_IMAGE = 200,
	CU_INVALID_HANDLE = 400,
	CU_CONTEXT_IS_DESTROYED = 709,
	CU_UNKNOWN = 999
};

struct ctx { /* a device's primary context */
	unsigned i_gpu, n_retained;
	bool is_active;
	unsigned generation; /* raised when it is destroyed: older streams and events are invalid */
	int sticky;          /* error of a kernel: every later call gives it */
	struct stream *streams;
	struct stream *legacy, *per_thread;
	unsigned n_kernels; /* of candidates */
	bool is_warm, is_dirty;
	uint64_t used_bytes;
};
struct place { /* a point in a stream's order */
	struct stream *stream;
	uint64_t number;
};
struct op {
	struct op *next;
	struct stream *stream;
	unsigned generation;
	/* What it does, without the lock; the result is an error that stays. NULL: nothing. */
	int (*effect)(struct op *op);
	void (*drop)(void *arg);
	void *arg;
	int64_t ns;        /* how long it takes; < 0: until the effect is over (waits) */
	int64_t queued_ns; /* by the simulated clock */
	int64_t start_ns, end_ns;
	struct event *event; /* gets the time when it is over */
	bool is_candidate;
	bool writes_cache, evicts_cache;
	struct gpu_activity record; /* kind OTHER: none */
	struct place after[MAX_STREAMS];
	size_t n_after;
};
struct stream {
	struct stream *next;
	struct ctx *ctx;
	unsigned generation, id;
	bool is_blocking, is_destroyed; /* blocking: ordered with the legacy stream */
	struct op *head, *tail;
	uint64_t n_queued, n_done;
	int64_t ready_ns;
	pthread_t thread;
};
struct event {
	struct event *next;
	struct ctx *ctx;
	unsigned generation;
	bool has_time, is_recorded, is_destroyed;
	struct place at; /* of the newest record */
	int64_t ns;
};

extern pthread_mutex_t fake_lock;

/* ---- device.c: every function begins here. Returns with the lock held when it returns 0. */
enum needs { NEEDS_NOTHING, NEEDS_INIT, NEEDS_CONTEXT /* one that works */ };
int fake_enter(const char *symbol, enum needs needs, struct ctx **ctx);
int fake_leave(int code); /* gives the lock back; returns code */
struct ctx *fake_ctx(unsigned device);
unsigned fake_n_devices(void);

/* ---- time.c */
int64_t fake_now(void);
void fake_advance(int64_t to);                              /* from now on the clock shows at least that */
int64_t fake_kernel_ns(struct ctx *c, const struct op *op); /* of a candidate's kernel that starts at op->start_ns */
unsigned fake_clock_mhz(const struct ctx *c);
/* Before and after an op, in the order in which they run. */
void fake_cache(struct ctx *c, const struct op *op);
void fake_trace(const struct gpu_activity *x);
uint32_t fake_correlation(void);

/* ---- memory.c, under the lock */
void *fake_host(gpu_ptr p); /* translated; no lock needed */
/* Whether [p, p + bytes) lies in one piece of device (or, with may_be_host, pinned) memory that can be used. */
bool fake_is_memory(gpu_ptr p, size_t bytes, bool may_be_host);
void fake_memory_reset(struct ctx *c); /* what the context's end frees */

/* ---- stream.c, under the lock */
struct stream *fake_stream(struct ctx *c, void *handle); /* NULL: no such stream */
struct op *fake_op(struct stream *s);
void fake_queue(struct op *op);
struct place fake_place(const struct stream *s); /* behind what is queued now */
void fake_wait(struct place p);                  /* gives the lock up meanwhile */
void fake_wait_all(struct ctx *c);
bool fake_is_idle(const struct stream *s);
void fake_streams_open(struct ctx *c);

/* ---- kernel.c */
/* Runs fn on this thread; a fault in it or fakeTrap gives its error. */
int fake_guarded(void (*fn)(void *), void *arg);

#endif
