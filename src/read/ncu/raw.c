/* The raw page as CSV.
 * In: a report.
 * Out: text.
 * Never: scales a value. */
#include "read/ncu/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/ncu/number.h"
#include "read/ncu/nvtx.h"
#include "read/ncu/record.h"

#define FLUSH_AT (1u << 18)

struct page {
	const struct ncu_report *r;
	struct buf *out;
	uint32_t *names;
	size_t n_names;
	bool has_nvtx, has_dims;
};

struct named {
	struct str name;
	uint32_t i;
};

static int by_text(const void *a, const void *b)
{
	return str_cmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static bool is_hidden(struct str name)
{
	return str_starts(name, "breakdown:") || str_starts(name, "group:") || str_starts(name, "regex:");
}

uint32_t *ncu_sorted_names(const struct ncu_report *r, struct arena *a, size_t *n)
{
	struct named *sorted = ARENA_ARRAY(a, r->n_names, struct named);
	uint32_t *out = ARENA_ARRAY(a, r->n_names, uint32_t);
	bool *is_used = ARENA_ARRAY(a, r->n_names, bool);
	for (size_t i = 0; i < r->n_results; i++) {
		for (size_t k = 0; k < r->results[i].n_metrics; k++)
			is_used[r->results[i].metrics[k].name] = true;
	}
	*n = 0;
	for (uint32_t i = 0; i < r->n_names; i++) {
		if (is_used[i] && !is_hidden(r->names[i]))
			sorted[(*n)++] = (struct named){r->names[i], i};
	}
	if (*n)
		qsort(sorted, *n, sizeof(*sorted), by_text);
	for (size_t i = 0; i < *n; i++)
		out[i] = sorted[i].i;
	return out;
}

static void put(struct page *p, struct str cell)
{
	if (p->out->n && p->out->p[p->out->n - 1] != '\n')
		buf_char(p->out, ',');
	record_put(p->out, cell);
}

static void put_text(struct page *p, const char *text)
{
	put(p, str_from(text));
}

static void put_header(struct page *p)
{
	put_text(p, "ID");
	put_text(p, "Process ID");
	put_text(p, "Process Name");
	put_text(p, "Host Name");
	if (p->has_nvtx) {
		put_text(p, NCU_NVTX_PUSH);
		put_text(p, NCU_NVTX_START);
	}
	put_text(p, "Kernel Name");
	put_text(p, "Context");
	put_text(p, "Stream");
	if (p->has_dims) {
		put_text(p, "Block Size");
		put_text(p, "Grid Size");
	}
	put_text(p, "Device");
	put_text(p, "CC");
	for (size_t i = 0; i < p->n_names; i++)
		put(p, p->r->names[p->names[i]]);
	buf_char(p->out, '\n');
}

static void put_units(struct page *p)
{
	size_t n_ids = 9 + (p->has_nvtx ? 2u : 0) + (p->has_dims ? 2u : 0);
	for (size_t i = 0; i < n_ids; i++)
		put_text(p, "");
	for (size_t i = 0; i < p->n_names; i++) {
		struct ncu_metric m = {.name = p->names[i]};
		put_text(p, ncu_unit(p->r, &m));
	}
	buf_char(p->out, '\n');
}

static void put_u32(struct page *p, bool has, uint32_t v)
{
	char text[16];
	snprintf(text, sizeof(text), "%u", v);
	put_text(p, has ? text : "n/a");
}

static void put_dim3(struct page *p, bool has, struct ncu_dim3 d)
{
	char text[80];
	snprintf(text, sizeof(text), "(%llu, %llu, %llu)", (unsigned long long)d.x, (unsigned long long)d.y,
		 (unsigned long long)d.z);
	put_text(p, has ? text : "");
}

static void put_nvtx(struct page *p, const struct ncu_result *res)
{
	struct buf push, start;
	buf_init(&push);
	buf_init(&start);
	ncu_nvtx_cells(res, &push, &start);
	put(p, buf_view(&push));
	put(p, buf_view(&start));
	buf_release(&push);
	buf_release(&start);
}

static void put_identity(struct page *p, const struct ncu_result *res)
{
	char text[32];
	const struct ncu_process none = {0}, *process = res->process ? res->process : &none;
	struct str path = process->path;
	for (size_t i = path.n; i-- > 0;) {
		if (path.p[i] == '/' || path.p[i] == '\\') {
			path = str_sub(path, i + 1, SIZE_MAX);
			break;
		}
	}
	put_u32(p, true, res->id);
	put_u32(p, true, process->pid);
	put(p, path);
	put(p, process->host);
	if (p->has_nvtx)
		put_nvtx(p, res);
	put(p, res->name);
	put_u32(p, res->has_context, res->context);
	put_u32(p, res->has_stream, res->stream);
	if (p->has_dims) {
		put_dim3(p, res->has_dims, res->block);
		put_dim3(p, res->has_dims, res->grid);
	}
	put_u32(p, res->has_device, res->device);
	snprintf(text, sizeof(text), "%u.%u", res->cc_major, res->cc_minor);
	put_text(p, res->has_cc ? text : "n/a");
}

/* A metric's cell without the generic path: most of the page is these. */
static void put_metric(struct page *p, const struct ncu_metric *m)
{
	if (!m) {
		buf_puts(p->out, ",\"\"");
	} else if (m->kind == NCU_STRING) {
		put(p, (struct str){m->text, m->n_text});
	} else {
		buf_puts(p->out, ",\"");
		number_put(p->out, m);
		buf_char(p->out, '"');
	}
}

static void put_row(struct page *p, const struct ncu_result *res, uint32_t *slot)
{
	put_identity(p, res);
	memset(slot, 0xff, p->r->n_names * sizeof(*slot));
	for (uint32_t i = 0; i < res->n_metrics; i++)
		slot[res->metrics[i].name] = i;
	for (size_t i = 0; i < p->n_names; i++) {
		uint32_t at = slot[p->names[i]];
		put_metric(p, at == UINT32_MAX ? NULL : &res->metrics[at]);
	}
	buf_char(p->out, '\n');
}

static bool any_nvtx(const struct ncu_report *r)
{
	struct arena a;
	bool any = false;
	arena_init(&a);
	for (size_t i = 0; i < r->n_results && !any; i++) {
		size_t n;
		ncu_nvtx(&r->results[i], &a, &n);
		any = n || r->results[i].nvtx_push.n || r->results[i].nvtx_start.n;
		arena_clear(&a);
	}
	arena_release(&a);
	return any;
}

void ncu_raw_csv(const struct ncu_report *r, struct buf *out, void (*flush)(void *ctx, struct buf *out), void *ctx)
{
	struct arena a;
	arena_init(&a);
	struct page p = {.r = r, .out = out, .has_nvtx = any_nvtx(r)};
	uint32_t *slot = ARENA_ARRAY(&a, r->n_names + 1, uint32_t);
	p.names = ncu_sorted_names(r, &a, &p.n_names);
	for (size_t i = 0; i < r->n_results; i++)
		p.has_dims |= r->results[i].has_dims;
	put_header(&p);
	put_units(&p);
	for (size_t i = 0; i < r->n_results; i++) {
		put_row(&p, &r->results[i], slot);
		if (flush && out->n >= FLUSH_AT)
			flush(ctx, out);
	}
	if (flush)
		flush(ctx, out);
	arena_release(&a);
}
