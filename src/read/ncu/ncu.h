/* Nsight Compute reports: .ncu-rep, .ncu-repz and `ncu --csv` exports become one struct. Pure: bytes in, structs out.
 *
 * A report whose end is missing is opened with its whole results; `damage` says where and why it stops. Nothing whole:
 * an error. Values are as stored: base units, unscaled, of the kind that the file has. */
#ifndef ASSAY_READ_NCU_NCU_H
#define ASSAY_READ_NCU_NCU_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/map.h"

#define NCU_NO_METRIC UINT32_MAX

enum ncu_format { NCU_REP, NCU_CSV_RAW, NCU_CSV_DETAILS };
enum ncu_kind { NCU_KERNEL, NCU_RANGE, NCU_CMDLIST, NCU_GRAPH };
enum ncu_value_kind {
	NCU_NO_VALUE, /* without instances ncu prints "no data", with instances nothing */
	NCU_STRING,
	NCU_FLOAT,
	NCU_DOUBLE,
	NCU_U32,
	NCU_U64,
};

struct ncu_metric {
	uint32_t name; /* index into ncu_report.names; the metrics of a result are sorted by it */
	uint32_t n_instances;
	uint8_t kind;     /* enum ncu_value_kind */
	uint8_t category; /* 0 counter or unset, 1 sampler */
	uint32_t n_text, n_raw;
	union {
		double real; /* NCU_FLOAT, NCU_DOUBLE */
		uint64_t u;  /* NCU_U32, NCU_U64 */
	};
	const char *text; /* NCU_STRING; of a CSV: the cell, unless it was scaled */
	const char *raw;  /* MetricResult message: instances on demand (instance.h) */
};

struct ncu_dim3 {
	uint64_t x, y, z;
};
struct ncu_process {
	size_t i; /* by appearance */
	uint32_t pid;
	struct str host, path;
};

struct ncu_result {
	enum ncu_kind kind;
	uint32_t id;     /* the ID column: results by process in order of appearance */
	struct str name; /* demangled, or what there is; "range", "graph" */
	struct str mangled, function;
	struct ncu_dim3 grid, block;
	bool has_dims, has_context, has_stream, has_device, has_cc, has_clock_lock;
	uint32_t context, stream, device, cc_major, cc_minor;
	bool clock_locked; /* as executed; meaningful with has_clock_lock */
	uint64_t created;  /* unix seconds, 0: not said */
	uint64_t *references;
	size_t n_references; /* of source data (source.h) */
	const struct ncu_process *process;
	struct ncu_metric *metrics;
	size_t n_metrics;
	struct str body;                  /* the whole message; empty for a CSV */
	struct str nvtx_push, nvtx_start; /* NVTX columns of a CSV; a report's state is decoded by nvtx.h */
	struct ncu_row *rows;             /* NCU_CSV_DETAILS: section rows and rules as given (section.h) */
	size_t n_rows;
	struct ncu_rule *rules;
	size_t n_rules;
};

struct ncu_device {
	uint32_t id;
	struct str name;
	struct str raw; /* DeviceAttributes message (session.h) */
};
struct ncu_version {
	struct str provider, version;
};
struct ncu_session {
	uint64_t created; /* unix seconds */
	struct str host_raw, target_raw, settings_raw, command;
	struct ncu_device *devices;
	size_t n_devices;
	struct ncu_version *versions;
	size_t n_versions;
};

struct ncu_source_data {    /* one cubin, or later addresses of its functions */
	uint64_t reference; /* unique in its process */
	const struct ncu_process *process;
	uint32_t sm; /* 90 for 9.0; 0: not said */
	struct str cubin, ptx, code, files_raw, relocation_raw;
};

struct ncu_unmodeled { /* a field that this reader does not know */
	const char *message;
	uint32_t field, wire;
	uint64_t n;
	size_t offset; /* of the first one */
};

struct ncu_damage {
	bool is_damaged;
	size_t offset;
	uint64_t n_missing; /* bytes, when the file says how many it would have */
	char reason[160];
};

struct ncu_report {
	struct arena arena;
	struct file_map map;
	struct buf unpacked;    /* of a .ncu-repz */
	struct str path, bytes; /* bytes: the unpacked container, or the CSV text */
	enum ncu_format format;
	bool is_zstd, is_verified; /* verified: this tool version is covered by our tests */
	struct str tool_version;   /* "2025.3.1.0 (build ...)"; empty for a CSV */
	struct ncu_session session;
	struct str *names;  /* metric names, unique */
	const char **units; /* of a CSV, base units by name; NULL for a report: facts/metric.h knows */
	size_t n_names;
	struct map name_index;
	struct ncu_result *results;
	size_t n_results;
	struct ncu_source_data *sources;
	size_t n_sources;
	struct ncu_unmodeled *unmodeled;
	size_t n_unmodeled;
	struct ncu_damage damage;
};

/* Opens a file or bytes (which must outlive the report); `path` is used in messages. False: nothing could be read; the
 * text has the offset and the reason. ncu_release in every case. */
MUST_USE bool ncu_open(struct ncu_report *out, const char *path, struct err *e);
MUST_USE bool ncu_open_bytes(struct ncu_report *out, const char *path, struct str bytes, struct err *e);
void ncu_release(struct ncu_report *r);
/* Whether the beginning of a file looks like a report or an export; reader.h uses it. */
bool ncu_is_report(struct str head);

/* Index into names or NCU_NO_METRIC; the metric of a result or NULL. */
uint32_t ncu_name(const struct ncu_report *r, struct str name);
const struct ncu_metric *ncu_metric_at(const struct ncu_result *res, uint32_t name);
const struct ncu_metric *ncu_metric(const struct ncu_report *r, const struct ncu_result *res, const char *name);
const char *ncu_unit(const struct ncu_report *r, const struct ncu_metric *m); /* base unit */
/* The value as a number; false for strings and for none. */
bool ncu_number(const struct ncu_metric *m, double *out);

#endif
