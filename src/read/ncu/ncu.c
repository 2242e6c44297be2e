/* Opening a report or an export, and looking metrics up.
 * In: a path or bytes.
 * Out: struct ncu_report.
 * Never: runs ncu, writes anything, or keeps bytes beyond NCU_MAX_UNPACKED of a compressed report. */
#include "read/ncu/ncu.h"

#include <stdio.h>
#include <zstd.h>

#include "base/buf.h"
#include "facts/metric.h"
#include "facts/tool.h"
#include "read/ncu/container.h"
#include "read/ncu/csv.h"

#define NCU_MAX_UNPACKED (UINT64_C(4) << 30) /* bytes of an unpacked .ncu-repz */

static bool has_magic(struct str s, const char *magic, size_t n)
{
	return s.n >= n && memcmp(s.p, magic, n) == 0;
}

static bool is_zstd(struct str s)
{
	return has_magic(s, "\x28\xb5\x2f\xfd", 4);
}

/* Other reports come as zstd too: looks at the first bytes inside. */
static bool is_packed_report(struct str head)
{
	char first[8];
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = {head.p, head.n, 0};
	ZSTD_outBuffer to = {first, sizeof(first), 0};
	size_t before, rc = 1;
	do {
		before = in.pos;
		rc = z ? ZSTD_decompressStream(z, &to, &in) : 0;
	} while (!ZSTD_isError(rc) && rc && to.pos < 4 && in.pos > before);
	ZSTD_freeDStream(z);
	return has_magic((struct str){first, to.pos}, "NVR", 4);
}

bool ncu_is_report(struct str head)
{
	return has_magic(head, "NVR", 4) || (is_zstd(head) && is_packed_report(head)) || csv_is_export(head);
}

/* What people pass by mistake: named, so that they need not look. */
static bool refuse_other(const struct ncu_report *r, struct err *e)
{
	static const struct {
		const char *magic, *what;
	} others[] = {
		{"version https://git-lfs", "a Git LFS pointer, not the report itself; fetch it with git lfs pull"},
		{"<!DOCTYPE", "an HTML page, not a report; it was downloaded from the wrong address"},
		{"<html", "an HTML page, not a report; it was downloaded from the wrong address"},
		{"SQLite format 3", "an SQLite database, as nsys exports it; no Nsight Compute report"},
		{"QDSTRM", "an unfinished Nsight Systems stream; no Nsight Compute report"},
		{"\x1f\x8b", "gzip; unpack it first"},
		{"PK\x03\x04", "a zip archive; unpack it first"},
		{"\x7f"
		 "ELF",
		 "an ELF file (cubin or program); no Nsight Compute report"},
	};
	if (!r->bytes.n)
		return err_set(e, ERR_INPUT, "%s: offset 0: the file is empty", r->path.p);
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		if (str_starts(r->bytes, others[i].magic))
			return err_set(e, ERR_INPUT, "%s: offset 0: this is %s", r->path.p, others[i].what);
	}
	return err_set(e, ERR_INPUT,
		       "%s: offset 0: no Nsight Compute report: neither the NVR header of a .ncu-rep nor the "
		       "\"ID\" line of `ncu --csv` was found",
		       r->path.p);
}

/* What stands before a cut is kept. */
static bool unpack(struct ncu_report *r, struct err *e)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = {r->bytes.p, r->bytes.n, 0};
	struct buf *out = &r->unpacked;
	size_t rc = 1;
	const char *problem = NULL;
	while (z && !problem && (in.pos < in.size || rc)) {
		size_t chunk = ZSTD_DStreamOutSize();
		buf_reserve(out, chunk);
		ZSTD_outBuffer to = {out->p + out->n, chunk, 0};
		size_t before = in.pos;
		rc = ZSTD_decompressStream(z, &to, &in);
		out->n += to.pos;
		if (ZSTD_isError(rc))
			problem = ZSTD_getErrorName(rc);
		else if (out->n > NCU_MAX_UNPACKED)
			problem = "unpacks to more than 4 GiB";
		else if (in.pos == before && !to.pos)
			problem = "the compressed stream ends early";
	}
	ZSTD_freeDStream(z);
	size_t at = in.pos;
	r->bytes = buf_view(out);
	if (!problem)
		return true;
	if (r->bytes.n < 8)
		return err_set(e, ERR_INPUT, "%s: offset %zu: zstd: %s", r->path.p, at, problem);
	r->damage = (struct ncu_damage){.is_damaged = true, .offset = at};
	snprintf(r->damage.reason, sizeof(r->damage.reason), "zstd: %s", problem);
	return true;
}

static bool read_report(struct ncu_report *r, struct err *e)
{
	struct ncu_damage packed = r->damage;
	r->damage = (struct ncu_damage){0};
	if (!container_read(r, e))
		return false;
	if (packed.is_damaged) /* says more than the cut that it causes */
		r->damage = packed;
	r->is_verified = tool_is_tested("ncu", r->tool_version);
	return true;
}

static void begin(struct ncu_report *out, const char *path)
{
	*out = (struct ncu_report){0};
	arena_init(&out->arena);
	buf_init(&out->unpacked);
	out->path = arena_str(&out->arena, str_from(path));
}

static bool open_bytes(struct ncu_report *out, struct str bytes, struct err *e)
{
	out->bytes = bytes;
	map_init(&out->name_index, &out->arena);
	if (is_zstd(bytes)) {
		out->is_zstd = true;
		if (!unpack(out, e))
			return false;
	}
	if (has_magic(out->bytes, "NVR", 4))
		return read_report(out, e);
	if (csv_is_export(out->bytes))
		return csv_read(out, e);
	return refuse_other(out, e);
}

bool ncu_open_bytes(struct ncu_report *out, const char *path, struct str bytes, struct err *e)
{
	begin(out, path);
	return open_bytes(out, bytes, e);
}

bool ncu_open(struct ncu_report *out, const char *path, struct err *e)
{
	begin(out, path);
	if (!file_map(&out->map, path, e))
		return false;
	return open_bytes(out, (struct str){out->map.p, out->map.n}, e);
}

void ncu_release(struct ncu_report *r)
{
	file_unmap(&r->map);
	buf_release(&r->unpacked);
	arena_release(&r->arena);
	*r = (struct ncu_report){0};
}

uint32_t ncu_name(const struct ncu_report *r, struct str name)
{
	const struct map_entry *at = map_find(&r->name_index, name);
	return at ? (uint32_t)((uintptr_t)at->value - 1) : NCU_NO_METRIC;
}

const struct ncu_metric *ncu_metric_at(const struct ncu_result *res, uint32_t name)
{
	size_t lo = 0, hi = res->n_metrics;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (res->metrics[mid].name < name)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < res->n_metrics && res->metrics[lo].name == name ? &res->metrics[lo] : NULL;
}

const struct ncu_metric *ncu_metric(const struct ncu_report *r, const struct ncu_result *res, const char *name)
{
	uint32_t at = ncu_name(r, str_from(name));
	return at == NCU_NO_METRIC ? NULL : ncu_metric_at(res, at);
}

const char *ncu_unit(const struct ncu_report *r, const struct ncu_metric *m)
{
	return r->units ? r->units[m->name] : metric_unit(r->names[m->name]);
}

bool ncu_number(const struct ncu_metric *m, double *out)
{
	switch ((enum ncu_value_kind)m->kind) {
	case NCU_FLOAT:
	case NCU_DOUBLE:
		*out = m->real;
		return true;
	case NCU_U32:
	case NCU_U64:
		*out = (double)m->u;
		return true;
	case NCU_NO_VALUE:
	case NCU_STRING:
		break;
	}
	return false;
}
