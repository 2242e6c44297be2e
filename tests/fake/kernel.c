/* Modules, functions, launches.
 * In: our PTX, whose kernels run as their twins; kernels that are host functions. Out: effects on memory, errors that stay.
 * A fault in a kernel is caught on its stream's thread and becomes the error that a GPU gives.
 * Never: looks into an image beyond the names of its entries. */
#include "inside.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "conf.h"
#include "include/fake_cuda.h"

enum { MAX_BLOCK = 1024, MAX_SHARED = 232448, BLOCKS_PER_SM = 8, REGISTERS = 16 };

struct module {
	struct module *next;
	char *text;
	bool is_unloaded;
};
struct function {
	struct function *next;
	const struct module *module; /* NULL: a candidate's */
	char *name;
	enum gpu_kernel twin;
	bool was_launched;
};
static struct module *modules;
static struct function *functions;

/* ---- faults */

static _Thread_local sigjmp_buf way_out;
static _Thread_local volatile sig_atomic_t is_guarded;
static struct sigaction before_segv, before_bus;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (is_guarded)
		siglongjmp(way_out, GPU_ILLEGAL_ADDRESS);
	/* Not ours: back to what was there; the instruction faults again. */
	(void)info;
	sigaction(number, number == SIGSEGV ? &before_segv : &before_bus, NULL);
}

/* Others set these signals back before they load a candidate, so it is looked at before every kernel. */
static void install(int number, struct sigaction *before)
{
	struct sigaction now, ours = {.sa_flags = SA_SIGINFO | SA_NODEFER};
	ours.sa_sigaction = on_fault;
	sigaction(number, NULL, &now);
	if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault)
		return;
	sigaction(number, &ours, before);
}

int fake_guarded(void (*fn)(void *), void *arg)
{
	install(SIGSEGV, &before_segv);
	install(SIGBUS, &before_bus);
	int code = sigsetjmp(way_out, 1);
	if (code == 0) {
		is_guarded = 1;
		fn(arg);
	}
	is_guarded = 0;
	return code;
}

FAKE_API void fakeTrap(int code)
{
	if (is_guarded)
		siglongjmp(way_out, code);
	abort();
}

/* ---- our kernels */

struct twin_call {
	enum gpu_kernel kernel;
	unsigned n_blocks;
	union {
		struct twin_fill_args fill;
		struct twin_poison_args poison;
		struct twin_flush_args flush;
		struct twin_compare_args compare;
		struct twin_hash_args hash;
		struct twin_guard_args guard;
		struct twin_empty_args empty;
	} u;
	uint64_t clock;
};

static void translate(uint64_t *p)
{
	*p = (uintptr_t)fake_host(*p);
}

/* Device addresses become host addresses. */
static void translate_args(struct twin_call *t)
{
	switch (t->kernel) {
	case GPU_KERNEL_FILL:
		translate(&t->u.fill.out);
		return;
	case GPU_KERNEL_POISON:
		translate(&t->u.poison.p);
		return;
	case GPU_KERNEL_FLUSH:
		translate(&t->u.flush.p);
		translate(&t->u.flush.sink);
		t->clock = (uintptr_t)fake_host(t->u.flush.clock);
		t->u.flush.clock = 0;
		return;
	case GPU_KERNEL_COMPARE:
		translate(&t->u.compare.actual);
		translate(&t->u.compare.expected);
		translate(&t->u.compare.partial);
		return;
	case GPU_KERNEL_HASH:
		translate(&t->u.hash.p);
		translate(&t->u.hash.out);
		return;
	case GPU_KERNEL_GUARD:
		translate(&t->u.guard.p);
		translate(&t->u.guard.out);
		return;
	case GPU_KERNEL_EMPTY:
	case GPU_KERNEL_COUNT:
		return;
	}
}

static void call_twin(void *arg)
{
	struct twin_call *t = arg;
	twin_run(t->kernel, t->n_blocks, &t->u);
}

static int run_twin(struct op *op)
{
	struct twin_call *t = op->arg;
	int code = fake_guarded(call_twin, t);
	struct ctx *c = op->stream->ctx;
	if (code == 0 && t->clock) { /* the flush kernel's look at the SM clock */
		struct twin_flush look = {.ns_start = (uint64_t)op->start_ns,
					  .ns_end = (uint64_t)(op->start_ns + op->ns),
					  .cycles_end = (uint64_t)op->ns * fake_clock_mhz(c) / 1000};
		memcpy((void *)(uintptr_t)t->clock, &look, sizeof(look));
	}
	return code;
}

static int64_t twin_ns(enum gpu_kernel k)
{
	return k == GPU_KERNEL_EMPTY ? 1100 : k == GPU_KERNEL_FLUSH ? 42000 : 5000;
}

/* ---- launching */

struct shape {
	unsigned grid[3], block[3], shared_bytes;
};

static bool is_launchable(const struct shape *s)
{
	uint64_t threads = 1;
	for (size_t i = 0; i < 3; i++) {
		if (s->grid[i] == 0 || s->block[i] == 0 || s->block[i] > MAX_BLOCK)
			return false;
		threads *= s->block[i];
	}
	return threads <= MAX_BLOCK && s->grid[1] <= 65535 && s->grid[2] <= 65535 && s->shared_bytes <= MAX_SHARED;
}

static struct op *new_kernel(struct stream *s, const char *name, const struct shape *shape)
{
	struct op *op = fake_op(s);
	op->record.kind = GPU_ACTIVITY_KERNEL;
	op->record.raw_kind = CUPTI_CONCURRENT_KERNEL;
	op->record.name = name;
	op->record.registers = REGISTERS;
	op->record.smem_dynamic_bytes = shape->shared_bytes;
	memcpy(op->record.grid, shape->grid, sizeof(shape->grid));
	memcpy(op->record.block, shape->block, sizeof(shape->block));
	return op;
}

static struct function *function_of(const void *handle)
{
	for (struct function *f = functions; f; f = f->next) {
		if (f == handle && (!f->module || !f->module->is_unloaded))
			return f;
	}
	return NULL;
}

static struct function *function_add(const struct module *m, const char *name)
{
	for (struct function *f = functions; f; f = f->next) {
		if (f->module == m && strcmp(f->name, name) == 0)
			return f;
	}
	struct function *f = calloc(1, sizeof(*f));
	if (!f)
		abort();
	*f = (struct function){.next = functions, .module = m, .name = strdup(name)};
	f->twin = m ? twin_by_name(name) : GPU_KERNEL_COUNT;
	functions = f;
	return f;
}

FAKE_CU(launch, cuLaunchKernel)
(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned smem_bytes,
 void *stream, void **params, void **extra)
{
	struct ctx *c;
	struct shape shape = {{gx, gy, gz}, {bx, by, bz}, smem_bytes};
	int rc = fake_enter("cuLaunchKernel", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct function *f = function_of(function);
	struct stream *s = fake_stream(c, stream);
	if (!f || !s)
		return fake_leave(CU_INVALID_HANDLE);
	if (!is_launchable(&shape) || extra || !params)
		return fake_leave(GPU_INVALID_VALUE);
	struct op *op = new_kernel(s, f->name, &shape);
	if (f->twin != GPU_KERNEL_COUNT) {
		struct twin_call *t = calloc(1, sizeof(*t));
		if (!t)
			abort();
		t->kernel = f->twin;
		t->n_blocks = gx;
		memcpy(&t->u, params[0], twin_args_bytes(f->twin));
		translate_args(t);
		op->arg = t;
		op->drop = free;
		op->effect = run_twin;
		op->ns = twin_ns(f->twin);
		op->writes_cache = f->twin == GPU_KERNEL_FILL || f->twin == GPU_KERNEL_POISON;
		op->evicts_cache = f->twin == GPU_KERNEL_FLUSH;
	}
	fake_queue(op);
	return fake_leave(0);
}

struct host_call {
	void (*run)(void *closure);
	void (*drop)(void *closure);
	void *closure;
	unsigned number; /* of this process's candidate kernels */
};

static int run_host(struct op *op)
{
	struct host_call *h = op->arg;
	const struct fake_conf *f = fake_conf();
	while (f->hang_at && h->number >= f->hang_at)
		clock_sleep_ns(1000000000);
	int code = fake_guarded(h->run, h->closure);
	return f->sticky_at && h->number == f->sticky_at ? (int)f->sticky_code : code;
}

static void drop_host(void *arg)
{
	struct host_call *h = arg;
	if (h->drop)
		h->drop(h->closure);
	free(h);
}

FAKE_API int fakeLaunch(const struct fake_launch *l)
{
	static unsigned n_launched;
	struct ctx *c;
	struct shape shape = {.shared_bytes = l->shared_bytes};
	memcpy(shape.grid, l->grid, sizeof(shape.grid));
	memcpy(shape.block, l->block, sizeof(shape.block));
	int rc = fake_enter("cuLaunchKernel", NEEDS_CONTEXT, &c);
	if (rc) {
		l->drop(l->closure);
		return rc;
	}
	struct stream *s = fake_stream(c, l->stream);
	if (!s || !is_launchable(&shape)) {
		fake_leave(0);
		l->drop(l->closure);
		return s ? GPU_INVALID_VALUE : CU_INVALID_HANDLE;
	}
	struct function *f = function_add(NULL, l->name);
	if (fake_conf()->lazy && !f->was_launched)
		fake_wait_all(c);
	f->was_launched = true;
	struct host_call *h = calloc(1, sizeof(*h));
	if (!h)
		abort();
	*h = (struct host_call){l->run, l->drop, l->closure, ++n_launched};
	struct op *op = new_kernel(s, f->name, &shape);
	op->effect = run_host;
	op->arg = h;
	op->drop = drop_host;
	op->is_candidate = true;
	fake_queue(op);
	return fake_leave(0);
}

/* ---- modules */

FAKE_CU(module_load, cuModuleLoadDataEx)
(void **module, const void *image, unsigned n, int *options, void **values)
{
	struct ctx *c;
	int rc = fake_enter("cuModuleLoadDataEx", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	if (!image || !strstr(image, ".target sm_") || !strstr(image, ".version ")) {
		for (unsigned i = 0; i < n; i++) {
			if (options[i] == 5 && image) /* the log buffer */
				snprintf(values[i], 64, "the image is no PTX");
		}
		return fake_leave(CU_INVALID_IMAGE);
	}
	struct module *m = calloc(1, sizeof(*m));
	if (!m)
		abort();
	*m = (struct module){.next = modules, .text = strdup(image)};
	modules = m;
	*module = m;
	return fake_leave(0);
}

static struct module *module_of(const void *handle)
{
	for (struct module *m = modules; m; m = m->next) {
		if (m == handle && !m->is_unloaded)
			return m;
	}
	return NULL;
}

FAKE_CU(module_unload, cuModuleUnload)(void *module)
{
	struct ctx *c;
	int rc = fake_enter("cuModuleUnload", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct module *m = module_of(module);
	if (!m)
		return fake_leave(CU_INVALID_HANDLE);
	m->is_unloaded = true;
	return fake_leave(0);
}

FAKE_CU(module_function, cuModuleGetFunction)(void **function, void *module, const char *name)
{
	struct ctx *c;
	char entry[160];
	int rc = fake_enter("cuModuleGetFunction", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	const struct module *m = module_of(module);
	if (!m)
		return fake_leave(CU_INVALID_HANDLE);
	snprintf(entry, sizeof(entry), ".entry %s(", name);
	if (!strstr(m->text, entry))
		return fake_leave(GPU_NOT_FOUND);
	*function = function_add(m, name);
	return fake_leave(0);
}

FAKE_CU(function_attribute, cuFuncGetAttribute)(int *value, int attribute, void *function)
{
	struct ctx *c;
	int rc = fake_enter("cuFuncGetAttribute", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	if (!function_of(function) || attribute < 0 || attribute > 10)
		return fake_leave(function_of(function) ? GPU_INVALID_VALUE : CU_INVALID_HANDLE);
	*value = attribute == GPU_FUNC_REGISTERS ? REGISTERS : attribute == GPU_FUNC_THREADS ? MAX_BLOCK : 0;
	return fake_leave(0);
}

FAKE_CU(function_set, cuFuncSetAttribute)(void *function, int attribute, int value)
{
	struct ctx *c;
	int rc = fake_enter("cuFuncSetAttribute", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	bool is_fine = function_of(function) && attribute == GPU_FUNC_MAX_DYNAMIC_SHARED && value <= MAX_SHARED;
	return fake_leave(is_fine ? 0 : GPU_INVALID_VALUE);
}

FAKE_CU(function_load, cuFuncLoad)(void *function)
{
	struct ctx *c;
	int rc = fake_enter("cuFuncLoad", NEEDS_CONTEXT, &c);
	return rc ? rc : fake_leave(function_of(function) ? 0 : CU_INVALID_HANDLE);
}

FAKE_CU(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor)
(int *blocks, void *function, int block, size_t smem_bytes)
{
	struct ctx *c;
	int rc = fake_enter("cuOccupancyMaxActiveBlocksPerMultiprocessor", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	if (!function_of(function) || block <= 0)
		return fake_leave(GPU_INVALID_VALUE);
	*blocks = block > MAX_BLOCK || smem_bytes > MAX_SHARED ? 0 : BLOCKS_PER_SM;
	return fake_leave(0);
}
