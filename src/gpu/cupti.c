/* CUPTI: opens libcupti, resolves cupti.def, decodes activity records.
 * In: a path or nothing; the bytes of one record, which candidate code may have forged.
 * Out: struct cupti; struct gpu_activity.
 * Never: reads past the bytes given, follows a record's name pointer, loads a second libcupti into a process. */
#include "gpu/cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/library.h"

/* The library's sonames, newest first (the toolkits 10.1 to 11.8 each had their own). */
static const char *const sonames[] = {
	"libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8", "libcupti.so.11.7", "libcupti.so.11.6",
	"libcupti.so.11.5", "libcupti.so.11.4", "libcupti.so.11.3", "libcupti.so.11.2", "libcupti.so.11.1",
	"libcupti.so.11.0", "libcupti.so.10.2", "libcupti.so.10.1",
};
static const char *const folders[] = {"extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib", "lib"};

static void fail_text(const struct cupti *c, int rc, const char **text)
{
	if (c->error_text(rc, text) != CUPTI_OK || !*text)
		*text = "unknown error";
}

bool cupti_check(const struct cupti *c, int rc, const char *what, struct err *e)
{
	if (rc == CUPTI_OK)
		return true;
	const char *text = NULL;
	fail_text(c, rc, &text);
	/* cupti_result.h: 14 not compatible with the driver, 33 and 40 virtualized device, 35 insufficient privileges,
	 * 39 another tool has subscribed */
	bool is_environment = rc == 14 || rc == 33 || rc == 35 || rc == 39 || rc == 40;
	return err_set(e, is_environment ? ERR_ENVIRONMENT : ERR_SYSTEM, "%s: %s (CUPTI %d)", what, text, rc);
}

static bool resolve(struct cupti *c, struct err *e)
{
#define CUPTI(field, symbol, optional, args)                                                                           \
	if (!library_symbol(c->lib, symbol, "", &c->field) && !(optional))                                             \
		return err_set(e, ERR_ENVIRONMENT, "%s: no symbol %s: CUDA 10.1 or later is needed", c->path, symbol);
#include "gpu/cupti.def"
#undef CUPTI
	return cupti_check(c, c->version(&c->cupti_version), "cuptiGetVersion", e);
}

/* A copy that is in the process already (torch's) must be used: two copies take each other's callbacks. */
static bool open_loaded(struct library *out)
{
	for (size_t i = 0; i < COUNT_OF(sonames); i++) {
		void *lib = dlopen(sonames[i], RTLD_NOW | RTLD_NOLOAD);
		struct err ignored;
		if (!lib)
			continue;
		bool ok = library_open(out, &sonames[i], 1, "CUPTI", &ignored);
		dlclose(lib);
		return ok;
	}
	return false;
}

/* `path` itself and, should it be a folder, the sonames in it. */
static bool open_path(struct library *out, const char *path, struct err *e)
{
	enum { N = COUNT_OF(sonames) + 1 };
	char text[N][512];
	const char *names[N + 1] = {path};
	size_t n = 1;
	for (size_t i = 0; i < COUNT_OF(sonames); i++) {
		int k = snprintf(text[i], sizeof text[i], "%s/%s", path, sonames[i]);
		if (k > 0 && (size_t)k < sizeof text[i])
			names[n++] = text[i];
	}
	return library_open(out, names, n, "CUPTI", e);
}

static bool open_anywhere(struct library *out, struct err *e)
{
	enum { N = COUNT_OF(sonames) + 3 * COUNT_OF(folders) };
	const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
	char text[3 * COUNT_OF(folders)][512];
	const char *names[N];
	size_t n = 0, n_text = 0;
	for (size_t i = 0; i < COUNT_OF(sonames); i++)
		names[n++] = sonames[i];
	for (size_t i = 0; i < COUNT_OF(roots); i++) {
		for (size_t j = 0; roots[i] && roots[i][0] == '/' && j < COUNT_OF(folders); j++) {
			char *p = text[n_text];
			int k = snprintf(p, sizeof text[0], "%s/%s/libcupti.so", roots[i], folders[j]);
			if (k > 0 && (size_t)k < sizeof text[0]) {
				names[n++] = p;
				n_text++;
			}
		}
	}
	return library_open(out, names, n, "CUPTI", e);
}

bool cupti_open(struct cupti *out, const char *path, struct err *e)
{
	struct library library;
	memset(out, 0, sizeof *out);
	bool is_found = open_loaded(&library);
	if (!is_found)
		is_found = path && path[0] ? open_path(&library, path, e) : open_anywhere(&library, e);
	if (!is_found)
		return false;
	out->lib = library.lib;
	memcpy(out->path, library.path, sizeof out->path);
	if (resolve(out, e))
		return true;
	dlclose(out->lib);
	memset(out, 0, sizeof *out);
	return false;
}

/* The records' prefixes. Source: cupti_activity.h and cupti_activity_deprecated.h of CUDA 10.2 to 13.0, CUpti_Activity
 * Kernel4 to Kernel10, Memcpy to Memcpy6, MemcpyPtoP to PtoP4, Memset to Memset4, Synchronization(2), API. */
struct kernel_record {
	uint32_t kind;
	uint8_t cache_config, shared_config;
	uint16_t registers;
	uint32_t partitioned[2];
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3], smem_static, smem_dynamic;
	uint32_t local_per_thread, local_total, correlation;
	int64_t grid_id;
	const char *name;
};
struct copy_record { /* memcpy and memset; of a memset, byte 4 on is the value */
	uint32_t kind;
	uint8_t copy_kind, from, to, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
};
struct peer_record {
	struct copy_record head; /* `correlation` is the source device here */
	uint32_t from_context, to_device, to_context, correlation;
};
struct sync_record {
	uint32_t kind, type;
	uint64_t start, end;
	uint32_t correlation, context, stream, event;
};
struct api_record {
	uint32_t kind, callback;
	uint64_t start, end;
	uint32_t process, thread, correlation, result;
};
_Static_assert(offsetof(struct kernel_record, start) == 16 && offsetof(struct kernel_record, correlation) == 92 &&
		       offsetof(struct kernel_record, name) == 104,
	       "CUpti_ActivityKernel");
_Static_assert(offsetof(struct copy_record, bytes) == 8 && offsetof(struct copy_record, correlation) == 44,
	       "CUpti_ActivityMemcpy");
_Static_assert(offsetof(struct peer_record, correlation) == 60, "CUpti_ActivityMemcpyPtoP");
_Static_assert(offsetof(struct sync_record, event) == 36, "CUpti_ActivitySynchronization");
_Static_assert(offsetof(struct api_record, result) == 36, "CUpti_ActivityAPI");

/* Fields behind the common prefix, and the CUPTI version from which they are there. */
enum {
	V_11_0 = 13,
	V_11_1 = 14,
	V_11_6 = 17,
	KERNEL_GRAPH_NODE = 144,
	KERNEL_GRAPH = 156,
	COPY_GRAPH_NODE = 64,
	COPY_GRAPH = 72,
	PEER_GRAPH_NODE = 72,
	PEER_GRAPH = 80
};

size_t gpu_activity_bytes(uint32_t raw_kind)
{
	switch (raw_kind) {
	case CUPTI_KERNEL:
	case CUPTI_CONCURRENT_KERNEL:
		return sizeof(struct kernel_record);
	case CUPTI_MEMCPY:
	case CUPTI_MEMSET:
		return sizeof(struct copy_record);
	case CUPTI_MEMCPY2:
		return sizeof(struct peer_record);
	case CUPTI_SYNCHRONIZATION:
		return sizeof(struct sync_record);
	case CUPTI_DRIVER:
	case CUPTI_RUNTIME:
		return sizeof(struct api_record);
	default:
		return 0;
	}
}

struct view { /* the bytes of one record */
	const uint8_t *p;
	size_t n;
	uint32_t cupti_version;
};

static void set_times(struct gpu_activity *out, uint64_t start, uint64_t end)
{
	if (start == 0 || end < start)
		return;
	out->start_ns = start;
	out->end_ns = end;
	out->has |= GPU_ACTIVITY_HAS_TIME;
}

/* Reads an optional field of `n` bytes at `offset`, if this CUPTI has it and the record reaches that far. */
static bool later(void *out, const struct view *v, uint32_t since, size_t offset, size_t n)
{
	if (v->cupti_version < since || v->n < offset + n)
		return false;
	memcpy(out, v->p + offset, n);
	return true;
}

static void decode_graph(struct gpu_activity *out, const struct view *v, size_t node, size_t graph, uint32_t since)
{
	if (later(&out->graph_node, v, V_11_0, node, sizeof out->graph_node) && out->graph_node)
		out->has |= GPU_ACTIVITY_HAS_GRAPH_NODE;
	if (later(&out->graph, v, since, graph, sizeof out->graph) && out->graph)
		out->has |= GPU_ACTIVITY_HAS_GRAPH;
}

static void decode_kernel(struct gpu_activity *out, const struct view *v)
{
	struct kernel_record r;
	memcpy(&r, v->p, sizeof r);
	out->kind = GPU_ACTIVITY_KERNEL;
	out->name = r.name;
	set_times(out, r.start, r.end);
	out->device = r.device;
	out->context = r.context;
	out->stream = r.stream;
	out->correlation = r.correlation;
	for (int i = 0; i < 3; i++) {
		out->grid[i] = (uint32_t)r.grid[i];
		out->block[i] = (uint32_t)r.block[i];
	}
	out->smem_static_bytes = (uint32_t)r.smem_static;
	out->smem_dynamic_bytes = (uint32_t)r.smem_dynamic;
	out->registers = r.registers;
	out->local_bytes = r.local_per_thread;
	decode_graph(out, v, KERNEL_GRAPH_NODE, KERNEL_GRAPH, V_11_6);
}

static void decode_copy(struct gpu_activity *out, const struct view *v)
{
	struct copy_record r;
	memcpy(&r, v->p, sizeof r);
	out->kind = r.kind == CUPTI_MEMSET ? GPU_ACTIVITY_MEMSET : GPU_ACTIVITY_MEMCPY;
	out->detail = r.copy_kind;
	if (r.kind == CUPTI_MEMSET)
		memcpy(&out->detail, v->p + 4, sizeof out->detail);
	set_times(out, r.start, r.end);
	out->bytes = r.bytes;
	out->device = r.device;
	out->context = r.context;
	out->stream = r.stream;
	out->correlation = r.correlation;
	if (r.kind != CUPTI_MEMCPY2) {
		decode_graph(out, v, COPY_GRAPH_NODE, COPY_GRAPH, V_11_1);
		return;
	}
	memcpy(&out->correlation, v->p + offsetof(struct peer_record, correlation), sizeof out->correlation);
	decode_graph(out, v, PEER_GRAPH_NODE, PEER_GRAPH, V_11_1);
}

static void decode_sync(struct gpu_activity *out, const struct view *v)
{
	struct sync_record r;
	memcpy(&r, v->p, sizeof r);
	out->kind = GPU_ACTIVITY_SYNC;
	out->detail = r.type;
	set_times(out, r.start, r.end);
	out->context = r.context;
	out->stream = r.stream;
	out->correlation = r.correlation;
}

static void decode_api(struct gpu_activity *out, const struct view *v)
{
	struct api_record r;
	memcpy(&r, v->p, sizeof r);
	out->kind = r.kind == CUPTI_RUNTIME ? GPU_ACTIVITY_RUNTIME : GPU_ACTIVITY_DRIVER;
	out->detail = r.callback;
	set_times(out, r.start, r.end);
	out->thread = r.thread;
	out->correlation = r.correlation;
	out->result = r.result;
}

bool gpu_activity_decode(struct gpu_activity *out, const void *record, size_t bytes, uint32_t cupti_version)
{
	struct view v = {record, bytes, cupti_version};
	memset(out, 0, sizeof *out);
	if (bytes < sizeof out->raw_kind)
		return false;
	memcpy(&out->raw_kind, record, sizeof out->raw_kind);
	if (bytes < gpu_activity_bytes(out->raw_kind))
		return false;
	switch (out->raw_kind) {
	case CUPTI_KERNEL:
	case CUPTI_CONCURRENT_KERNEL:
		decode_kernel(out, &v);
		break;
	case CUPTI_MEMCPY:
	case CUPTI_MEMCPY2:
	case CUPTI_MEMSET:
		decode_copy(out, &v);
		break;
	case CUPTI_SYNCHRONIZATION:
		decode_sync(out, &v);
		break;
	case CUPTI_DRIVER:
	case CUPTI_RUNTIME:
		decode_api(out, &v);
		break;
	default:
		break;
	}
	return true;
}
