/* SASS listings as `assay read` shows them.
 * In: the text of cuobjdump -sass or nvdisasm.
 * Out: sheets of kernels, mechanisms, opcodes, loops, lines; facts; JSON.
 * Never: says that a mechanism is there without an instruction that shows it. */
#include "read/sass/reader_sass.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "facts/tool.h"
#include "read/sass/diff_sheet.h"
#include "read/sass/signature.h"

struct opened {
	struct arena a;
	struct sass_listing l;
};

static bool accepts(struct str head, const char *path)
{
	(void)path;
	return sass_is_listing(head);
}

static void close_report(void *report)
{
	struct opened *r = report;
	arena_release(&r->a);
	free(r);
}

static void *open_report(const char *path, struct err *e)
{
	struct file_map map;
	struct opened *r = calloc(1, sizeof *r);
	if (!r)
		BUG("out of memory");
	arena_init(&r->a);
	if (file_map(&map, path, e)) {
		bool ok = sass_read(&r->l, &r->a, path, (struct str){map.p, map.n}, e);
		file_unmap(&map);
		if (ok)
			return r;
	}
	close_report(r);
	return NULL;
}

static void damage_of(const void *report, struct reader_damage *out)
{
	const struct opened *r = report;
	*out = (struct reader_damage){0};
	if (r->l.n_unread)
		snprintf(out->text, sizeof out->text, "%llu rows look like instructions and could not be read",
			 (unsigned long long)r->l.n_unread);
	else if (r->l.problem.n)
		snprintf(out->text, sizeof out->text, "%.*s", STR_ARG(r->l.problem));
	for (size_t i = 0; i < r->l.n_kernels && !out->is_unverified; i++) {
		out->is_unverified = !tool_covers_arch(r->l.kernels[i].arch);
		snprintf(out->version, sizeof out->version, "the architecture %.*s", STR_ARG(r->l.kernels[i].arch));
	}
}

static const struct sheet_column kernel_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"arch", "arch", "", SHEET_TEXT},
	{"instructions", "instr", "", 0},
	{"loads", "loads", "", 0},
	{"stores", "stores", "", 0},
	{"atomics", "atomics", "", 0},
	{"async_copies", "async", "", 0},
	{"tensor", "tensor", "", 0},
	{"barriers", "bar", "", 0},
	{"local", "local", "", 0},
	{"loops", "loops", "", 0},
	{"constant_loads", "constant", "", SHEET_HIDDEN},
	{"divergence", "divergence", "", SHEET_HIDDEN},
	{"calls", "calls", "", SHEET_HIDDEN},
};

/* Of parameters and literals: which of them are loads is the architecture's affair. */
static uint64_t constant_loads(const struct sass_kernel *k)
{
	uint64_t n = 0;
	for (size_t i = 0; i < k->n_opcodes; i++)
		n += k->opcodes[i].class_of == SASS_LOAD && k->opcodes[i].space == SASS_CONSTANT ? k->opcodes[i].n : 0;
	return n;
}

static void kernel_row(struct sheet *s, const struct sass_kernel *k)
{
	static const enum sass_class classes[] = {SASS_LOAD,  SASS_STORE,  SASS_ATOMIC,
						  SASS_ASYNC, SASS_TENSOR, SASS_BARRIER};
	struct sheet_cell *c = sheet_row(s);
	uint64_t constant = constant_loads(k);
	sheet_put_text(&c[0], k->name);
	sheet_put_text(&c[1], k->arch);
	sheet_put(&c[2], (double)k->n);
	for (size_t i = 0; i < COUNT_OF(classes); i++)
		sheet_put(&c[3 + i], (double)k->n_class[classes[i]]);
	sheet_put(&c[3], (double)(k->n_class[SASS_LOAD] - constant));
	sheet_put(&c[9], (double)k->n_local);
	sheet_put(&c[10], (double)k->n_loops);
	sheet_put(&c[11], (double)constant);
	sheet_put(&c[12], (double)k->n_class[SASS_DIVERGENCE]);
	sheet_put(&c[13], (double)k->n_class[SASS_CALL]);
}

static const struct sheet_column mechanism_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY}, {"mechanism", "mechanism", "", SHEET_TEXT},
	{"verdict", "verdict", "", SHEET_TEXT},           {"instructions", "instr", "", 0},
	{"evidence", "evidence", "", SHEET_TEXT},
};

static void evidence_text(struct buf *b, const struct sass_finding *f)
{
	for (size_t i = 0; i < f->n_evidence && i < 4; i++)
		buf_printf(b, "%s%llu %.*s", i ? ", " : "", (unsigned long long)f->evidence[i].opcode->n,
			   STR_ARG(f->evidence[i].opcode->name));
	if (f->n_evidence > 4)
		buf_puts(b, ", ...");
}

static void mechanism_rows(struct sheet *s, const struct sass_listing *l, const struct sass_kernel *k, bool all)
{
	struct buf b;
	size_t n;
	struct arena scratch;
	arena_init(&scratch);
	buf_init(&b);
	struct sass_finding *v = sass_judge_all(l, k, &scratch, &n);
	for (size_t i = 0; i < n; i++) {
		if (!all && v[i].verdict != SASS_SHOWN)
			continue;
		struct sheet_cell *c = sheet_row(s);
		buf_clear(&b);
		evidence_text(&b, &v[i]);
		sheet_put_text(&c[0], k->name);
		sheet_put_text(&c[1], str_from(v[i].key));
		sheet_put_text(&c[2], str_from(sass_verdict_name(v[i].verdict)));
		sheet_put(&c[3], (double)v[i].n_instructions);
		sheet_put_text(&c[4], arena_str(s->arena, buf_view(&b)));
	}
	buf_release(&b);
	arena_release(&scratch);
}

static const struct sheet_column opcode_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"opcode", "opcode", "", SHEET_TEXT},
	{"n", "n", "", 0},
	{"class", "class", "", SHEET_TEXT},
	{"space", "space", "", SHEET_TEXT},
	{"bytes", "bytes", "byte", 0},
	{"first_pc", "first pc", "", SHEET_HIDDEN},
};

static void opcode_rows(struct sheet *s, const struct sass_kernel *k)
{
	for (size_t i = 0; i < k->n_opcodes; i++) {
		const struct sass_opcode *o = &k->opcodes[i];
		struct sheet_cell *c = sheet_row(s);
		sheet_put_text(&c[0], k->name);
		sheet_put_text(&c[1], o->name);
		sheet_put(&c[2], (double)o->n);
		sheet_put_text(&c[3], str_from(sass_class_name(o->class_of)));
		if (o->space != SASS_NO_SPACE)
			sheet_put_text(&c[4], str_from(sass_space_name(o->space)));
		if (o->width)
			sheet_put(&c[5], o->width);
		sheet_put(&c[6], o->sites[0].pc);
	}
}

static const struct sheet_column line_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"file", "file", "", SHEET_TEXT},
	{"line", "line", "", 0},
	{"instructions", "instr", "", 0},
};

static void line_rows(struct sheet *s, const struct sass_listing *l, const struct sass_kernel *k)
{
	for (size_t i = 0; i < k->n_lines; i++) {
		struct sheet_cell *c = sheet_row(s);
		sheet_put_text(&c[0], k->name);
		sheet_put_text(&c[1], l->files[k->lines[i].file]);
		sheet_put(&c[2], k->lines[i].line);
		sheet_put(&c[3], (double)k->lines[i].n);
	}
}

static bool wants(const char *table, const char *name)
{
	return !table || str_is(str_from(table), "all") || str_is(str_from(table), name);
}

static struct sheet *sheets_of(void *report, const char *table, struct arena *a, size_t *n)
{
	const struct opened *r = report;
	struct sheet *s = ARENA_ARRAY(a, 4, struct sheet);
	sheet_init(&s[0], a, "kernels", kernel_columns, COUNT_OF(kernel_columns));
	sheet_init(&s[1], a, "mechanisms", mechanism_columns, COUNT_OF(mechanism_columns));
	sheet_init(&s[2], a, "opcodes", opcode_columns, COUNT_OF(opcode_columns));
	sheet_init(&s[3], a, "lines", line_columns, COUNT_OF(line_columns));
	s[0].title = "Instructions by kernel";
	s[0].note = "loads: without those of constant memory";
	s[1].title = table ? "Mechanisms" : "Mechanisms shown";
	s[2].title = "Opcodes";
	s[3].title = "Source lines by instructions";
	s[0].is_main = s[1].is_main = true;
	for (size_t i = 0; i < r->l.n_kernels; i++) {
		const struct sass_kernel *k = &r->l.kernels[i];
		kernel_row(&s[0], k);
		if (wants(table, "mechanisms"))
			mechanism_rows(&s[1], &r->l, k, table != NULL);
		if (!table)
			continue;
		if (wants(table, "opcodes"))
			opcode_rows(&s[2], k);
		if (wants(table, "lines"))
			line_rows(&s[3], &r->l, k);
	}
	s[1].note = s[1].n_rows ? NULL : "none that the table of signatures has";
	*n = table ? 4 : 2;
	return s;
}

/* Opcodes that the table lacks, by name. NULL: none. */
static struct json *unmodeled_of(const struct sass_listing *l, struct arena *a)
{
	struct map names;
	map_init(&names, a);
	for (size_t i = 0; i < l->n_kernels; i++) {
		for (size_t k = 0; k < l->kernels[i].n_opcodes && names.n < 64; k++) {
			if (l->kernels[i].opcodes[k].is_unknown)
				(void)map_intern(&names, l->kernels[i].opcodes[k].name, NULL);
		}
	}
	struct json *list = names.n ? json_array(a) : NULL;
	for (size_t i = 0; i < names.n; i++)
		json_push_str(list, names.entries[i].key);
	return list;
}

static void add_count(struct fact_set *out, const char *id, uint64_t n, const struct sass_kernel *k, size_t i_kernel)
{
	struct fact *f = fact_add(out, str_from(id), "inst", FACT_KERNEL);
	f->type = FACT_COUNT;
	f->count = n;
	f->subject = k->name;
	f->i_subject = (uint32_t)i_kernel;
	f->source = k->arch;
}

static void facts_of(void *report, struct fact_set *out, const struct reader_json_options *o)
{
	const struct opened *r = report;
	(void)o;
	out->unmodeled = unmodeled_of(&r->l, out->arena);
	for (size_t i = 0; i < r->l.n_kernels; i++) {
		const struct sass_kernel *k = &r->l.kernels[i];
		uint64_t constant = constant_loads(k);
		add_count(out, "sass.instructions", k->n, k, i);
		add_count(out, "sass.constant_load", constant, k, i);
		for (unsigned c = 0; c < SASS_CLASSES; c++) {
			const char *id = arena_printf(out->arena, "sass.%s", sass_class_name((enum sass_class)c));
			add_count(out, id, k->n_class[c] - (c == SASS_LOAD ? constant : 0), k, i);
		}
	}
}

/* What is said of a listing is said of the kernels that are asked for. */
static void json_of(void *report, struct json *out, const struct reader_json_options *o)
{
	const struct opened *r = report;
	struct sass_listing l = r->l;
	l.kernels = ARENA_ARRAY(out->arena, r->l.n_kernels + 1, struct sass_kernel);
	l.n_kernels = 0;
	for (size_t i = 0; i < r->l.n_kernels; i++) {
		if (!o->filter || sheet_match(r->l.kernels[i].name, o->filter))
			l.kernels[l.n_kernels++] = r->l.kernels[i];
	}
	json_set(out, "sass", sass_json(&l, out->arena));
	json_set(out, "mechanisms", sass_findings_json(&l, NULL, out->arena));
}

static struct sheet *diff_of(void *before, void *after, struct arena *a, size_t *n)
{
	return sass_diff_sheets(&((struct opened *)before)->l, &((struct opened *)after)->l, a, n);
}

const struct reader reader_sass = {
	.name = "sass",
	.title = "SASS listing (cuobjdump -sass, nvdisasm)",
	.accepts = accepts,
	.open = open_report,
	.close = close_report,
	.damage = damage_of,
	.sheets = sheets_of,
	.facts = facts_of,
	.json = json_of,
	.diff = diff_of,
};
