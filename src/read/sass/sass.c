/* Reads SASS listings line by line.
 * In: the text of cuobjdump -sass or nvdisasm (with or without -g, -c).
 * Out: struct sass_listing: opcode counts, loops and lines per kernel.
 * Never keeps the listing: its strings are copied. */
#include "read/sass/sass.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "read/sass/internal.h"
#include "read/scan.h"

#define MAX_KERNELS ((size_t)1 << 20)
#define MAX_LOOPS ((size_t)4096)
#define MAX_LINES ((size_t)64)
#define MAX_FILES ((size_t)65536)
#define MAX_OPCODE ((size_t)96) /* bytes of a name; the longest seen has 44 */

struct entry {                        /* a distinct opcode of the listing */
	struct sass_opcode prototype; /* name, class, space, width */
	uint64_t kernel[3];           /* per flags value: the kernel (1-based) whose row this is */
	uint32_t row[3], word[3];
};

struct reader {
	struct sass_listing *l;
	struct arena *a;              /* the result */
	struct arena scratch;         /* the kernel being read: labels, lines */
	struct arena words;           /* opcode dictionary */
	struct map opcodes;           /* name -> struct entry */
	struct map labels;            /* of this kernel -> pc + 1 */
	struct map lines;             /* of this kernel: 8 bytes file and line -> struct sass_line */
	struct map files;             /* path -> index + 1 */
	struct sass_opcode *distinct; /* one per name and flags */
	size_t n_distinct, cap_distinct;
	struct sass_kernel *k;
	struct sass_opcode *rows; /* of this kernel; reused */
	size_t n_rows, cap_rows, cap_loops;
	struct sass_line *line;
	uint32_t pc, next_pc;
	uint32_t nop_pc;
	uint64_t n_nops; /* not yet counted: padding when nothing follows */
	bool after_marker;
	struct str arch;
};

static void finish_lines(struct reader *r)
{
	size_t n = r->lines.n;
	struct sass_line *best = ARENA_ARRAY(r->a, n < MAX_LINES ? n + 1 : MAX_LINES, struct sass_line);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		const struct sass_line *line = r->lines.entries[i].value;
		size_t at = kept < MAX_LINES ? kept++ : MAX_LINES;
		for (; at && best[at - 1].n < line->n; at--)
			if (at < MAX_LINES)
				best[at] = best[at - 1];
		if (at < MAX_LINES)
			best[at] = *line;
	}
	r->k->lines = best;
	r->k->n_lines = kept;
}

static int by_count(const void *x, const void *y)
{
	const struct sass_opcode *a = x, *b = y;
	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	int c = str_cmp(a->name, b->name);
	return c ? c : a->flags < b->flags ? -1 : a->flags > b->flags;
}

static void finish_kernel(struct reader *r)
{
	struct sass_kernel *k = r->k;
	if (!k)
		return;
	if (r->n_rows) {
		k->opcodes = ARENA_ARRAY(r->a, r->n_rows, struct sass_opcode);
		memcpy(k->opcodes, r->rows, r->n_rows * sizeof *k->opcodes);
		qsort(k->opcodes, r->n_rows, sizeof *k->opcodes, by_count);
		k->n_opcodes = r->n_rows;
	}
	finish_lines(r);
	r->k = NULL;
}

static void *grown(struct arena *a, const void *old, size_t n, size_t *cap, size_t size)
{
	*cap = *cap ? *cap * 2 : 16;
	void *p = arena_array(a, *cap, size);
	if (n)
		memcpy(p, old, n * size);
	return p;
}

static void set_problem(struct reader *r, const char *what)
{
	if (!r->l->problem.n)
		r->l->problem = str_from(what);
}

static void set_arch(struct reader *r, struct str arch)
{
	r->arch = arena_str(r->a, str_sub(arch, 0, 32));
	if (r->k && !r->k->arch.n) {
		r->k->arch = r->arch;
		r->k->sm = opcode_sm(r->arch);
	}
}

static void begin_kernel(struct reader *r, struct str name)
{
	struct sass_listing *l = r->l;
	finish_kernel(r);
	if (l->n_kernels == MAX_KERNELS) {
		set_problem(r, "more than 1,048,576 kernels: the rest is not read");
		return;
	}
	if (l->n_kernels == l->cap_kernels)
		l->kernels = grown(r->a, l->kernels, l->n_kernels, &l->cap_kernels, sizeof *l->kernels);
	r->k = &l->kernels[l->n_kernels++];
	*r->k = (struct sass_kernel){.name = arena_str(r->a, str_sub(name, 0, 65536)), .arch = r->arch};
	r->k->sm = opcode_sm(r->arch);
	arena_clear(&r->scratch);
	map_init(&r->labels, &r->scratch);
	map_init(&r->lines, &r->scratch);
	r->n_rows = r->cap_loops = 0;
	r->n_nops = 0;
	r->pc = r->next_pc = 0;
	r->line = NULL;
}

/* //## File "a.cu", line 12 inlined at "b.cu", line 3: of a run of them the first one is the innermost */
static void marker(struct reader *r, struct str s)
{
	struct str before, path;
	uint64_t line;
	if (!scan_until(&s, '"', &before) || !scan_until(&s, '"', &path) || !scan_text(&s, ", line ") ||
	    !scan_u64(&s, &line) || line > UINT32_MAX || !r->k)
		return;
	struct map_entry *f = map_intern(&r->files, path, NULL);
	if (!f->value) {
		if (r->l->n_files == MAX_FILES)
			return;
		if (r->l->n_files == r->l->cap_files)
			r->l->files = grown(r->a, r->l->files, r->l->n_files, &r->l->cap_files, sizeof *r->l->files);
		r->l->files[r->l->n_files++] = f->key;
		f->value = (void *)(uintptr_t)r->l->n_files;
	}
	uint32_t key[2] = {(uint32_t)(uintptr_t)f->value - 1, (uint32_t)line};
	struct map_entry *e = map_intern(&r->lines, (struct str){(const char *)key, sizeof key}, NULL);
	if (!e->value) {
		struct sass_line *new_line = ARENA_NEW(&r->scratch, struct sass_line);
		new_line->file = key[0];
		new_line->line = key[1];
		e->value = new_line;
	}
	r->line = e->value;
}

static struct entry *entry_of(struct reader *r, struct str name)
{
	struct map_entry *m = map_find(&r->opcodes, name);
	if (m)
		return m->value;
	struct entry *e = ARENA_NEW(&r->words, struct entry);
	(void)map_set(&r->opcodes, name, e);
	e->prototype.name = arena_str(r->a, name);
	opcode_classify(&e->prototype);
	return e;
}

static uint32_t new_word(struct reader *r, const struct entry *e, unsigned flags)
{
	if (r->n_distinct == r->cap_distinct)
		r->distinct = grown(&r->words, r->distinct, r->n_distinct, &r->cap_distinct, sizeof *r->distinct);
	r->distinct[r->n_distinct] = e->prototype;
	r->distinct[r->n_distinct].flags = flags;
	return (uint32_t)r->n_distinct++;
}

static struct sass_opcode *row_of(struct reader *r, struct str name, unsigned flags)
{
	struct entry *e = entry_of(r, name);
	if (!e->kernel[flags])
		e->word[flags] = new_word(r, e, flags);
	if (e->kernel[flags] != r->l->n_kernels) {
		if (r->n_rows == r->cap_rows)
			r->rows = grown(&r->words, r->rows, r->n_rows, &r->cap_rows, sizeof *r->rows);
		e->kernel[flags] = r->l->n_kernels;
		e->row[flags] = (uint32_t)r->n_rows;
		r->rows[r->n_rows] = e->prototype;
		r->rows[r->n_rows].word = e->word[flags];
		r->rows[r->n_rows++].flags = flags;
	}
	return &r->rows[e->row[flags]];
}

static void count(struct reader *r, uint32_t pc, struct str name, unsigned flags, uint64_t n)
{
	struct sass_opcode *o = row_of(r, name, flags);
	if (o->n < SASS_SITES) {
		struct sass_site *site = &o->sites[o->n];
		site->pc = pc;
		site->line = r->line ? r->line->line : 0;
		site->file = r->line ? r->line->file : 0;
	}
	o->n += n;
	r->k->n += n;
	r->k->n_class[o->class_of] += n;
	if (o->space == SASS_LOCAL)
		r->k->n_local += n;
	if (r->line)
		r->line->n += n;
}

/* The target of a branch: hexadecimal behind the last comma or blank, or `(.L_x_7). */
static bool branch_target(struct reader *r, struct str operands, uint32_t *out)
{
	size_t label = str_find(operands, STR("`("));
	if (label != SIZE_MAX) {
		struct str s = str_sub(operands, label + 2, operands.n), name;
		if (!scan_until(&s, ')', &name))
			return false;
		uintptr_t pc = (uintptr_t)map_get(&r->labels, name);
		*out = (uint32_t)(pc - 1);
		return pc != 0;
	}
	size_t at = operands.n;
	while (at && operands.p[at - 1] != ' ' && operands.p[at - 1] != ',')
		at--;
	struct str s = str_sub(operands, at, operands.n);
	uint64_t v;
	if (!str_starts(s, "0x") || !scan_hex(&s, &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static void branch(struct reader *r, struct str operands)
{
	uint32_t target;
	struct sass_kernel *k = r->k;
	if (!branch_target(r, operands, &target) || target >= r->pc || k->n_loops == MAX_LOOPS)
		return; /* a branch to itself is the trap behind the last instruction */
	if (k->n_loops == r->cap_loops)
		k->loops = grown(r->a, k->loops, k->n_loops, &r->cap_loops, sizeof *k->loops);
	k->loops[k->n_loops++] = (struct sass_loop){target, r->pc, r->line ? r->line->line : 0};
}

static unsigned operand_flags(struct str name, struct str operands)
{
	if (str_starts(name, "HFMA2")) {
		size_t comma = str_find_char(operands, ',');
		return comma != SIZE_MAX && str_starts(str_trim(str_sub(operands, comma + 1, operands.n)), "-RZ, RZ,")
			       ? SASS_AS_MOVE
			       : 0;
	}
	if (!str_starts(name, "UTC"))
		return 0;
	size_t n = 0, at;
	for (; (at = str_find(operands, STR("tmem["))) != SIZE_MAX; n++)
		operands = str_sub(operands, at + 5, operands.n);
	return n >= 3 ? SASS_SCALED : 0;
}

/* s: behind the offset comment of a row */
static void instruction(struct reader *r, struct str s)
{
	size_t n = 0;
	scan_spaces(&s);
	if (scan_text(&s, "{"))
		scan_spaces(&s);
	if (s.n && s.p[0] == '@') {
		while (s.n && s.p[0] != ' ')
			s = str_sub(s, 1, s.n);
		scan_spaces(&s);
	}
	while (n < s.n && s.p[n] != ' ' && s.p[n] != ';' && s.p[n] != '\r')
		n++;
	if (!n || n > MAX_OPCODE || s.p[0] < 'A' || s.p[0] > 'Z') {
		r->l->n_unread++;
		return;
	}
	struct str name = str_sub(s, 0, n);
	if (str_is(name, "NOP")) {
		r->nop_pc = r->n_nops ? r->nop_pc : r->pc;
		r->n_nops++;
		return;
	}
	if (r->n_nops) {
		count(r, r->nop_pc, STR("NOP"), 0, r->n_nops);
		r->n_nops = 0;
	}
	struct str operands = str_sub(s, n, s.n);
	size_t end = str_find_char(operands, ';');
	operands = str_trim(str_sub(operands, 0, end));
	count(r, r->pc, name, operand_flags(name, operands), 1);
	if (str_starts(name, "BRA") || str_starts(name, "JMP"))
		branch(r, operands);
}

/* s: a line without its leading blanks that begins with a comment sign */
static void comment(struct reader *r, struct str s)
{
	uint64_t pc;
	if (str_starts(s, "//## File")) {
		if (!r->after_marker)
			marker(r, s);
		r->after_marker = true;
		return;
	}
	if (!r->k || !scan_text(&s, "/*") || str_starts(s, " "))
		return;
	if (!scan_hex(&s, &pc) || !scan_text(&s, "*/") || pc > UINT32_MAX)
		return;
	r->after_marker = false;
	uint32_t step = (uint32_t)pc == r->pc + 8 ? 8 : 16; /* bytes of an instruction: 8 before sm_70 */
	r->pc = (uint32_t)pc;
	r->next_pc = r->pc + step;
	instruction(r, s);
}

/* .headerflags @"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)" */
static void header_flags(struct reader *r, struct str s)
{
	size_t at = str_find(s, STR("EF_CUDA_SM"));
	if (at == SIZE_MAX || !r->k || r->k->arch.n)
		return;
	struct str number = str_sub(s, at + 8, s.n);
	unsigned sm = opcode_sm(number);
	bool exact = str_find(s, STR("EF_CUDA_ACCELERATORS")) != SIZE_MAX;
	if (sm) {
		r->k->arch = str_from(arena_printf(r->a, "sm_%u%s", sm, exact ? "a" : ""));
		r->k->sm = sm;
	}
}

/* any line that is no comment; s has no leading blanks */
static void directive(struct reader *r, struct str s)
{
	struct str word;
	if (scan_text(&s, "Function : ")) {
		begin_kernel(r, str_trim(s));
	} else if (scan_text(&s, "code for ")) {
		set_arch(r, str_trim(s));
	} else if (scan_text(&s, ".target")) {
		set_arch(r, str_trim(s));
	} else if (scan_text(&s, ".headerflags")) {
		header_flags(r, s);
	} else if (scan_text(&s, ".section")) {
		scan_spaces(&s);
		if (scan_text(&s, ".text.") && scan_until(&s, ',', &word))
			begin_kernel(r, word);
		else
			finish_kernel(r);
	} else if (str_starts(s, ".L") && r->k) {
		if (scan_until(&s, ':', &word) && r->labels.n < ((size_t)1 << 22))
			(void)map_set(&r->labels, word, (void *)((uintptr_t)r->next_pc + 1));
	} else if (scan_text(&s, "arch = ")) {
		set_arch(r, str_trim(s));
	}
}

static void one_line(struct reader *r, struct str line)
{
	/* the second row of an instruction holds only its encoding, far to the right */
	if (line.n > 24 && line.p[8] == ' ' && line.p[16] == ' ' && line.p[24] == ' ')
		return;
	while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
		line = str_sub(line, 1, line.n);
	if (!line.n)
		return;
	if (line.p[0] == '/')
		comment(r, line);
	else
		directive(r, line);
}

bool sass_is_listing(struct str text)
{
	text = str_sub(text, 0, 65536);
	return str_find(text, STR("\tFunction : ")) != SIZE_MAX || str_find(text, STR("\tcode for sm_")) != SIZE_MAX ||
	       str_find(text, STR("//--------------------- .")) != SIZE_MAX ||
	       str_find(text, STR("\t.section\t.text.")) != SIZE_MAX;
}

const struct sass_kernel *sass_find(const struct sass_listing *l, struct str name, struct str arch)
{
	for (size_t i = 0; i < l->n_kernels; i++)
		if (str_eq(l->kernels[i].name, name) && (!arch.n || str_eq(l->kernels[i].arch, arch)))
			return &l->kernels[i];
	return NULL;
}

bool sass_read(struct sass_listing *out, struct arena *a, const char *name, struct str text, struct err *e)
{
	*out = (struct sass_listing){0};
	struct reader r = {.l = out, .a = a};
	arena_init(&r.scratch);
	arena_init(&r.words);
	map_init(&r.opcodes, &r.words);
	map_init(&r.files, a);
	const char *p = text.p, *end = text.p + text.n;
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;
		one_line(&r, (struct str){p, (size_t)(stop - p)});
		p = stop + 1;
	}
	finish_kernel(&r);
	signatures_build(out, a, r.distinct, r.n_distinct);
	arena_release(&r.scratch);
	arena_release(&r.words);
	if (out->n_kernels)
		return true;
	return err_set(e, ERR_INPUT, "%s: no kernel in this listing; expected the text of cuobjdump -sass or nvdisasm",
		       name);
}
