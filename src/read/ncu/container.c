/* The container of a .ncu-rep.
 * In: r->bytes: "NVR\0", FileHeader, then blocks of header and entries.
 * Out: r with processes, names, results and sources.
 * Never: reads beyond a length that the file gives; never trusts a count. */
#include "read/ncu/container.h"

#include <stdarg.h>
#include <stdio.h>

#include "read/ncu/pb.h"
#include "read/ncu/result.h"
#include "read/ncu/schema.h"
#include "read/ncu/session.h"

#define KNOWN_VERSION 7
#define MAX_HEADER (64u << 20) /* bytes of a block header; the largest seen is 60 KB */

struct block {
	size_t offset;          /* of its length word */
	struct str payload;     /* what is there of it */
	uint64_t payload_bytes; /* as the header says */
	uint64_t n_sources, n_results[4];
	const struct ncu_process *process;
};

struct reader {
	struct ncu_report *r;
	size_t at;
	uint32_t *remap; /* position in the string table -> index in r->names */
	size_t n_remap, cap_remap, cap_names, cap_results;
	struct block *blocks;
	size_t n_blocks, cap_blocks;
	struct map processes;
	const struct ncu_process *first_process;
};

static uint32_t u32_at(struct str s, size_t at)
{
	uint32_t v;
	memcpy(&v, s.p + at, 4);
	return v;
}

/* Notes damage; returns false. */
static bool PRINTF_LIKE(4, 5) damaged(struct reader *c, size_t offset, uint64_t n_missing, const char *fmt, ...)
{
	struct ncu_damage *d = &c->r->damage;
	va_list args;
	d->is_damaged = true;
	d->offset = offset;
	d->n_missing = n_missing;
	va_start(args, fmt);
	vsnprintf(d->reason, sizeof(d->reason), fmt, args);
	va_end(args);
	return false;
}

static uint32_t intern_name(struct reader *c, struct str name)
{
	struct ncu_report *r = c->r;
	bool is_new;
	struct map_entry *at = map_intern(&r->name_index, name, &is_new);
	if (!is_new)
		return (uint32_t)((uintptr_t)at->value - 1);
	if (r->n_names == c->cap_names) {
		c->cap_names = c->cap_names ? c->cap_names * 2 : 1024;
		struct str *names = ARENA_ARRAY(&r->arena, c->cap_names, struct str);
		if (r->n_names)
			memcpy(names, r->names, r->n_names * sizeof(*names));
		r->names = names;
	}
	at->value = (void *)(uintptr_t)(r->n_names + 1);
	r->names[r->n_names] = name;
	return (uint32_t)r->n_names++;
}

static void push_remap(struct reader *c, uint32_t v)
{
	if (c->n_remap == c->cap_remap) {
		c->cap_remap = c->cap_remap ? c->cap_remap * 2 : 1024;
		uint32_t *more = ARENA_ARRAY(&c->r->arena, c->cap_remap, uint32_t);
		if (c->n_remap)
			memcpy(more, c->remap, c->n_remap * sizeof(*more));
		c->remap = more;
	}
	c->remap[c->n_remap++] = v;
}

static enum ncu_kind kind_of_entry(const struct block *b, uint64_t i)
{
	uint64_t n = b->n_sources;
	for (int k = NCU_KERNEL; k < NCU_GRAPH; k++) {
		n += b->n_results[k == NCU_KERNEL ? 0 : k];
		if (i < n)
			return (enum ncu_kind)k;
	}
	return NCU_GRAPH;
}

static uint64_t n_entries(const struct block *b)
{
	return b->n_sources + b->n_results[0] + b->n_results[1] + b->n_results[2] + b->n_results[3];
}

/* One table over all blocks and processes, in file order. A result may use names that only a later block brings (seen in a
 * report of application replay), so entries are decoded when all headers are read. */
static void take_strings(struct reader *c, struct str strings)
{
	struct pb w = pb_of(strings);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_BYTES)
			push_remap(c, intern_name(c, f.bytes));
	}
}

static const struct ncu_process *process_of(struct reader *c, struct str raw)
{
	struct map_entry *at = map_intern(&c->processes, raw, NULL);
	if (at->value)
		return at->value;
	struct ncu_process *p = ARENA_NEW(&c->r->arena, struct ncu_process);
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			p->pid = (uint32_t)f.u;
		else if (f.number == 2 && f.wire == PB_BYTES)
			p->host = f.bytes;
		else if (f.number == 3 && f.wire == PB_BYTES)
			p->path = str_sub(f.bytes, 0, str_find_char(f.bytes, '\0')); /* Windows reports keep the NUL */
	}
	p->i = c->processes.n - 1;
	if (!c->first_process)
		c->first_process = p;
	at->value = p;
	return p;
}

static void header_field(struct reader *c, struct block *b, const struct pb_field *f)
{
	if (f->wire == PB_VARINT) {
		if (f->number == 1)
			b->n_sources = f->u;
		else if (f->number == 2)
			b->n_results[NCU_KERNEL] = f->u;
		else if (f->number == 5)
			b->payload_bytes = f->u;
		else if (f->number >= 7 && f->number <= 9)
			b->n_results[f->number - 6] = f->u;
	} else if (f->wire == PB_BYTES) {
		if (f->number == 3)
			session_merge(c->r, f->bytes);
		else if (f->number == 4)
			take_strings(c, f->bytes);
		else if (f->number == 6)
			b->process = process_of(c, f->bytes);
	}
}

static bool read_header(struct reader *c, struct block *b)
{
	struct str s = c->r->bytes;
	const unsigned char *bad;
	*b = (struct block){.offset = c->at};
	if (s.n - c->at < 4)
		return damaged(c, c->at, 4 - (s.n - c->at), "the file ends inside the length of a block header");
	uint32_t n = u32_at(s, c->at);
	if (n > MAX_HEADER)
		return damaged(c, c->at, 0, "a block header of %u bytes: no report has such a one", n);
	if (n > s.n - c->at - 4)
		return damaged(c, c->at, n - (s.n - c->at - 4), "the file ends inside a block header");
	struct str body = str_sub(s, c->at + 4, n);
	if (!schema_scan(c->r, SCHEMA_BLOCK, body, &bad))
		return damaged(c, (size_t)((const char *)bad - s.p), 0, "a block header does not parse");
	struct pb w = pb_of(body);
	struct pb_field f;
	while (pb_next(&w, &f))
		header_field(c, b, &f);
	if (!b->process)
		b->process = c->first_process;
	for (int k = 0; k < 4; k++) {
		if (b->n_results[k] > UINT32_MAX || b->n_sources > UINT32_MAX)
			return damaged(c, c->at, 0, "a block header counts more entries than a block can hold");
	}
	c->at += 4 + (size_t)n;
	b->payload = str_sub(s, c->at, b->payload_bytes < SIZE_MAX ? (size_t)b->payload_bytes : SIZE_MAX);
	c->at += b->payload.n;
	return true;
}

static struct ncu_result *new_result(struct reader *c)
{
	struct ncu_report *r = c->r;
	if (r->n_results == c->cap_results) {
		c->cap_results = c->cap_results ? c->cap_results * 2 : 64;
		struct ncu_result *more = ARENA_ARRAY(&r->arena, c->cap_results, struct ncu_result);
		if (r->n_results)
			memcpy(more, r->results, r->n_results * sizeof(*more));
		r->results = more;
	}
	return &r->results[r->n_results];
}

static bool read_entry(struct reader *c, const struct block *b, uint64_t i, struct str body)
{
	static const enum schema_message schemas[] = {
		[NCU_KERNEL] = SCHEMA_PROFILE_RESULT,
		[NCU_RANGE] = SCHEMA_RANGE_RESULT,
		[NCU_CMDLIST] = SCHEMA_CMDLIST_RESULT,
		[NCU_GRAPH] = SCHEMA_GRAPH_RESULT,
	};
	struct ncu_report *r = c->r;
	const unsigned char *bad;
	struct result_error why;
	bool is_source = i < b->n_sources;
	enum ncu_kind kind = is_source ? NCU_KERNEL : kind_of_entry(b, i);
	if (!schema_scan(r, is_source ? SCHEMA_SOURCE_DATA : schemas[kind], body, &bad))
		return damaged(c, (size_t)((const char *)bad - r->bytes.p), 0, "%s does not parse",
			       is_source ? "source data" : "a result");
	if (is_source)
		return session_source(r, body, b->process) || damaged(c, b->offset, 0, "source data does not parse");
	struct ncu_result *res = new_result(c);
	*res = (struct ncu_result){.kind = kind, .body = body, .process = b->process};
	if (!result_decode(r, res, c->remap, c->n_remap, &why))
		return damaged(c, why.offset, 0, "%s", why.reason);
	r->n_results++;
	return true;
}

static bool read_entries(struct reader *c, const struct block *b)
{
	uint64_t n = n_entries(b), i = 0;
	struct str p = b->payload;
	size_t at = 0, base = (size_t)(p.p - c->r->bytes.p);
	for (; i < n && at < p.n; i++) {
		uint32_t size = p.n - at >= 4 ? u32_at(p, at) : UINT32_MAX;
		if (size > p.n - at - 4 || p.n - at < 4) {
			if (b->payload_bytes > p.n)
				break;
			return damaged(c, base + at, 0, "entry %llu of a block is longer than the block",
				       (unsigned long long)i);
		}
		if (!read_entry(c, b, i, str_sub(p, at + 4, size)))
			return false;
		at += 4 + (size_t)size;
	}
	if (b->payload_bytes > p.n)
		return damaged(c, base + p.n, b->payload_bytes - p.n,
			       "the file ends inside a block of %llu entries after %llu", (unsigned long long)n,
			       (unsigned long long)i);
	if (i < n)
		return damaged(c, base + at, 0, "a block of %llu entries holds %llu", (unsigned long long)n,
			       (unsigned long long)i);
	if (at < p.n) { /* a newer kind of entry: kept aside */
		struct pb_field f = {.number = 0, .wire = PB_BYTES};
		schema_note(c->r, "Block entries", &f, p.p + at);
	}
	return true;
}

static void keep_block(struct reader *c, const struct block *b)
{
	if (c->n_blocks == c->cap_blocks) {
		c->cap_blocks = c->cap_blocks ? c->cap_blocks * 2 : 64;
		struct block *more = ARENA_ARRAY(&c->r->arena, c->cap_blocks, struct block);
		if (c->n_blocks)
			memcpy(more, c->blocks, c->n_blocks * sizeof(*more));
		c->blocks = more;
	}
	c->blocks[c->n_blocks++] = *b;
}

/* ncu numbers results by process, processes by appearance. */
static void number_results(struct reader *c)
{
	struct ncu_report *r = c->r;
	struct ncu_result *sorted = ARENA_ARRAY(&r->arena, r->n_results, struct ncu_result);
	size_t *next = ARENA_ARRAY(&r->arena, c->processes.n + 2, size_t); /* slot 0: no process named */
	for (size_t i = 0; i < r->n_results; i++)
		next[(r->results[i].process ? r->results[i].process->i + 1 : 0) + 1]++;
	for (size_t p = 0; p < c->processes.n + 1; p++)
		next[p + 1] += next[p];
	for (size_t i = 0; i < r->n_results; i++) {
		size_t to = next[r->results[i].process ? r->results[i].process->i + 1 : 0]++;
		sorted[to] = r->results[i];
		sorted[to].id = (uint32_t)to;
	}
	r->results = sorted;
}

static bool read_file_header(struct reader *c, struct err *e)
{
	struct ncu_report *r = c->r;
	struct str s = r->bytes;
	uint32_t n = s.n >= 8 ? u32_at(s, 4) : 0;
	if (s.n < 8 || memcmp(s.p, "NVR", 4) != 0 || n < 1 || n > 64 || n > s.n - 8)
		return err_set(e, ERR_INPUT, "%s: offset 0: no Nsight Compute report (no NVR header)", r->path.p);
	struct pb w = pb_of(str_sub(s, 8, n));
	struct pb_field f;
	uint64_t version = 0;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			version = f.u;
	}
	if (w.is_bad)
		return err_set(e, ERR_INPUT, "%s: offset 8: NVR magic, but no Nsight Compute header behind it",
			       r->path.p);
	if (version != KNOWN_VERSION)
		return err_set(
			e, ERR_UNSUPPORTED,
			"%s: offset 8: container version %llu, this reader knows %d; export it with the ncu that wrote "
			"it: ncu --import FILE --csv --page raw --print-units base",
			r->path.p, (unsigned long long)version, KNOWN_VERSION);
	c->at = 8 + (size_t)n;
	return true;
}

bool container_read(struct ncu_report *r, struct err *e)
{
	struct reader c = {.r = r};
	struct block b;
	map_init(&c.processes, &r->arena);
	if (!read_file_header(&c, e))
		return false;
	while (c.at < r->bytes.n && !r->damage.is_damaged) {
		if (read_header(&c, &b))
			keep_block(&c, &b);
	}
	if (!c.n_blocks && !r->damage.is_damaged)
		(void)damaged(&c, c.at, 0, "the file ends behind its header");
	struct ncu_damage cut = r->damage; /* lies behind all entries of the blocks that were kept */
	r->damage.is_damaged = false;
	for (size_t i = 0; i < c.n_blocks && !r->damage.is_damaged; i++) {
		if (!read_entries(&c, &c.blocks[i]))
			break;
	}
	if (!r->damage.is_damaged)
		r->damage = cut;
	if (r->damage.is_damaged && !r->n_results)
		return err_set(e, ERR_INPUT, "%s: offset %zu: %s; no whole result stands before it", r->path.p,
			       r->damage.offset, r->damage.reason);
	number_results(&c);
	return true;
}
