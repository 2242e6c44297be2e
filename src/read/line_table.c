/* Source lines of device code.
 * In: a cubin.
 * Out: per function its code bytes and line rows.
 * Never: reads beyond a section; gives up on what it does not know (DWARF 5) and says so. */
#include "read/line_table.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SECTIONS 65535
#define MAX_FILES 65536

struct cubin {
	struct arena *a;
	struct str bytes;
	const Elf64_Shdr *sections; /* copied: the file may be unaligned */
	size_t n_sections;
	struct str names;
	struct str line, rela, rel, symbols, strings;
	struct line_table *out;
};

/* One little-endian cursor; reads give 0 once it has run out. */
struct cursor {
	const unsigned char *p, *end;
	bool is_bad;
};

static uint64_t take(struct cursor *c, size_t n)
{
	uint64_t v = 0;
	if ((size_t)(c->end - c->p) < n) {
		c->is_bad = true;
		c->p = c->end;
		return 0;
	}
	memcpy(&v, c->p, n);
	c->p += n;
	return v;
}

static uint64_t take_uleb(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint64_t b = take(c, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		if (!(b & 0x80) || c->is_bad)
			return v;
	}
}

static int64_t take_sleb(struct cursor *c)
{
	uint64_t v = 0, b = 0;
	unsigned shift = 0;
	do {
		b = take(c, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	} while ((b & 0x80) && !c->is_bad);
	if (shift < 64 && (b & 0x40))
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

static struct str take_string(struct cursor *c)
{
	const unsigned char *nul = memchr(c->p, 0, (size_t)(c->end - c->p));
	if (!nul) {
		c->is_bad = true;
		c->p = c->end;
		return (struct str){NULL, 0};
	}
	struct str s = {(const char *)c->p, (size_t)(nul - c->p)};
	c->p = nul + 1;
	return s;
}

static struct cursor cursor_of(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	return (struct cursor){p, s.n ? p + s.n : p, false};
}

static struct str section_bytes(const struct cubin *c, const Elf64_Shdr *s)
{
	if (s->sh_type == SHT_NOBITS || s->sh_offset > c->bytes.n || s->sh_size > c->bytes.n - s->sh_offset)
		return (struct str){NULL, 0};
	return str_sub(c->bytes, (size_t)s->sh_offset, (size_t)s->sh_size);
}

static struct str text_at(struct str table, uint64_t at)
{
	if (at >= table.n)
		return (struct str){NULL, 0};
	struct str rest = str_sub(table, (size_t)at, SIZE_MAX);
	return str_sub(rest, 0, str_find_char(rest, '\0'));
}

static bool read_sections(struct cubin *c)
{
	Elf64_Ehdr h;
	if (c->bytes.n < sizeof(h))
		return false;
	memcpy(&h, c->bytes.p, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_shentsize != sizeof(Elf64_Shdr) || !h.e_shnum)
		return false;
	uint64_t bytes = (uint64_t)h.e_shnum * sizeof(Elf64_Shdr);
	if (h.e_shoff > c->bytes.n || bytes > c->bytes.n - h.e_shoff || h.e_shstrndx >= h.e_shnum)
		return false;
	Elf64_Shdr *sections = ARENA_ARRAY(c->a, h.e_shnum, Elf64_Shdr);
	memcpy(sections, c->bytes.p + h.e_shoff, (size_t)bytes);
	c->sections = sections;
	c->n_sections = h.e_shnum;
	c->names = section_bytes(c, &sections[h.e_shstrndx]);
	return true;
}

static void name_sections(struct cubin *c)
{
	struct line_table *t = c->out;
	t->functions = ARENA_ARRAY(c->a, c->n_sections, struct line_function);
	for (size_t i = 0; i < c->n_sections; i++) {
		struct str name = text_at(c->names, c->sections[i].sh_name), bytes = section_bytes(c, &c->sections[i]);
		if (str_is(name, ".debug_line"))
			c->line = bytes;
		else if (str_is(name, ".rela.debug_line"))
			c->rela = bytes;
		else if (str_is(name, ".rel.debug_line"))
			c->rel = bytes;
		else if (str_is(name, ".symtab"))
			c->symbols = bytes;
		else if (str_is(name, ".strtab"))
			c->strings = bytes;
		else if (str_starts(name, ".text."))
			t->functions[t->n_functions++] =
				(struct line_function){.symbol = str_sub(name, 6, SIZE_MAX), .code = bytes};
	}
}

/* The symbol that relocates the address at `offset` of .debug_line; empty: none. */
static struct str symbol_at(const struct cubin *c, uint64_t offset)
{
	bool has_addend = c->rela.n != 0;
	struct str table = has_addend ? c->rela : c->rel;
	size_t size = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	for (size_t at = 0; table.n - at >= size && table.n >= size; at += size) {
		Elf64_Rel r; /* Rela begins like Rel */
		Elf64_Sym symbol;
		memcpy(&r, table.p + at, sizeof(r));
		uint64_t i = ELF64_R_SYM(r.r_info);
		if (r.r_offset != offset || i >= c->symbols.n / sizeof(symbol))
			continue;
		memcpy(&symbol, c->symbols.p + i * sizeof(symbol), sizeof(symbol));
		return text_at(c->strings, symbol.st_name);
	}
	return (struct str){NULL, 0};
}

struct program {
	struct cubin *c;
	struct cursor at;
	struct str *files;
	size_t n_files;
	unsigned min_instruction, line_range, opcode_base;
	int line_base;
	unsigned char lengths[256];
	/* the state machine */
	uint64_t address;
	uint64_t file, line;
	struct line_function *function;
	size_t cap_rows;
};

static struct line_function *function_of(struct line_table *t, struct str symbol)
{
	for (size_t i = 0; i < t->n_functions; i++) {
		if (str_eq(t->functions[i].symbol, symbol))
			return &t->functions[i];
	}
	return NULL;
}

static void add_row(struct program *p, bool is_end)
{
	struct line_function *f = p->function;
	if (!f)
		return;
	if (f->n_rows == p->cap_rows) {
		p->cap_rows = p->cap_rows ? p->cap_rows * 2 : 64;
		struct line_row *more = ARENA_ARRAY(p->c->a, p->cap_rows, struct line_row);
		if (f->n_rows)
			memcpy(more, f->rows, f->n_rows * sizeof(*more));
		f->rows = more;
	}
	struct str file = {NULL, 0};
	if (p->file >= 1 && p->file <= p->n_files)
		file = p->files[p->file - 1];
	f->rows[f->n_rows++] = (struct line_row){p->address, file, is_end ? 0 : (uint32_t)p->line};
}

static void begin_sequence(struct program *p)
{
	p->address = 0;
	p->file = p->line = 1;
	p->function = NULL;
	p->cap_rows = 0;
}

static void extended_opcode(struct program *p)
{
	uint64_t n = take_uleb(&p->at);
	struct cursor *c = &p->at;
	if (!n || n > (uint64_t)(c->end - c->p)) {
		c->is_bad = true;
		return;
	}
	const unsigned char *end = c->p + n;
	uint64_t op = take(c, 1);
	if (op == 1) { /* end of sequence */
		add_row(p, true);
		begin_sequence(p);
	} else if (op == 2 && n == 9) { /* set address: says which function by its relocation */
		uint64_t offset = (uint64_t)((const char *)c->p - p->c->line.p);
		struct str symbol = symbol_at(p->c, offset);
		p->address = take(c, 8);
		p->function = symbol.n ? function_of(p->c->out, symbol) : NULL;
		p->cap_rows = p->function ? p->function->n_rows : 0;
	}
	c->p = end;
}

static void standard_opcode(struct program *p, unsigned op)
{
	struct cursor *c = &p->at;
	switch (op) {
	case 1:
		add_row(p, false);
		return;
	case 2:
		p->address += take_uleb(c) * p->min_instruction;
		return;
	case 3:
		p->line += (uint64_t)take_sleb(c);
		return;
	case 4:
		p->file = take_uleb(c);
		return;
	case 8:
		p->address += (uint64_t)((255 - p->opcode_base) / p->line_range) * p->min_instruction;
		return;
	case 9:
		p->address += take(c, 2);
		return;
	default: /* column, statement, block, prologue, isa: nothing that we keep */
		for (unsigned i = 0; i < p->lengths[op]; i++)
			(void)take_uleb(c);
	}
}

static void run_program(struct program *p)
{
	begin_sequence(p);
	while (p->at.p < p->at.end && !p->at.is_bad) {
		unsigned op = (unsigned)take(&p->at, 1);
		if (op >= p->opcode_base) {
			unsigned k = op - p->opcode_base;
			p->address += (uint64_t)(k / p->line_range) * p->min_instruction;
			p->line += (uint64_t)((int64_t)p->line_base + (int64_t)(k % p->line_range));
			add_row(p, false);
		} else if (op == 0) {
			extended_opcode(p);
		} else {
			standard_opcode(p, op);
		}
	}
}

static void read_files(struct program *p, struct cursor *head)
{
	struct str dirs[64], s;
	size_t n_dirs = 0;
	while ((s = take_string(head)).n) {
		if (n_dirs < COUNT_OF(dirs))
			dirs[n_dirs++] = s;
	}
	size_t cap = 0;
	while ((s = take_string(head)).n && p->n_files < MAX_FILES) {
		uint64_t dir = take_uleb(head);
		(void)take_uleb(head); /* time */
		(void)take_uleb(head); /* size */
		if (p->n_files == cap) {
			cap = cap ? cap * 2 : 16;
			struct str *more = ARENA_ARRAY(p->c->a, cap, struct str);
			if (p->n_files)
				memcpy(more, p->files, p->n_files * sizeof(*more));
			p->files = more;
		}
		bool in_dir = dir >= 1 && dir <= n_dirs && *s.p != '/';
		p->files[p->n_files++] =
			in_dir ? str_from(arena_printf(p->c->a, "%.*s/%.*s", STR_ARG(dirs[dir - 1]), STR_ARG(s))) : s;
	}
}

/* One unit; returns what follows it, empty at the end or when it cannot be read. */
static struct str read_unit(struct cubin *c, struct str rest)
{
	const struct str none = {NULL, 0};
	struct cursor at = cursor_of(rest);
	struct program p = {.c = c};
	uint64_t n = take(&at, 4);
	if (at.is_bad || n > (uint64_t)(at.end - at.p))
		return none;
	struct str next = str_sub(rest, 4 + (size_t)n, SIZE_MAX);
	at.end = at.p + n;
	uint64_t version = take(&at, 2), head_bytes = take(&at, 4);
	if (version < 2 || version > 4) {
		c->out->problem = "a line table of another DWARF version than 2 to 4";
		return next.n ? next : none;
	}
	if (at.is_bad || head_bytes > (uint64_t)(at.end - at.p))
		return none;
	p.at = (struct cursor){at.p + head_bytes, at.end, false};
	p.min_instruction = (unsigned)take(&at, 1);
	if (version == 4)
		(void)take(&at, 1);
	(void)take(&at, 1); /* default of is_stmt */
	p.line_base = (int)take(&at, 1);
	p.line_base -= p.line_base >= 128 ? 256 : 0; /* a signed byte */
	p.line_range = (unsigned)take(&at, 1);
	p.opcode_base = (unsigned)take(&at, 1);
	for (unsigned i = 1; i < p.opcode_base; i++)
		p.lengths[i] = (unsigned char)take(&at, 1);
	if (at.is_bad || !p.line_range || !p.opcode_base)
		return none;
	read_files(&p, &at);
	run_program(&p);
	return next.n ? next : none;
}

static int by_offset(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->line == 0 ? -1 : y->line == 0; /* an end before the beginning behind it */
}

void line_table_read(struct line_table *out, struct arena *a, struct str cubin)
{
	struct cubin c = {.a = a, .bytes = cubin, .out = out};
	*out = (struct line_table){0};
	if (!read_sections(&c)) {
		out->problem = "no 64-bit ELF";
		return;
	}
	name_sections(&c);
	if (!c.line.n)
		out->problem = "compiled without -lineinfo";
	struct str rest = c.line;
	while (rest.n)
		rest = read_unit(&c, rest);
	for (size_t i = 0; i < out->n_functions; i++) {
		if (out->functions[i].n_rows)
			qsort(out->functions[i].rows, out->functions[i].n_rows, sizeof(struct line_row), by_offset);
	}
}

const struct line_function *line_table_function(const struct line_table *t, struct str symbol)
{
	for (size_t i = 0; i < t->n_functions; i++) {
		if (str_eq(t->functions[i].symbol, symbol))
			return &t->functions[i];
	}
	return NULL;
}

const struct line_row *line_table_at(const struct line_function *f, uint64_t offset)
{
	size_t lo = 0, hi = f->n_rows;
	while (lo < hi) { /* first row behind offset */
		size_t mid = lo + (hi - lo) / 2;
		if (f->rows[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && f->rows[lo - 1].line ? &f->rows[lo - 1] : NULL;
}
