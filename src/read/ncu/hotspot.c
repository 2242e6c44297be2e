/* Hot spots: samples and executions by instruction and by source line.
 * In: instanced metrics, functions and line tables of a report.
 * Out: two sheets.
 * Never: attributes what lies in no function. */
#include "read/ncu/hotspot.h"

#include <stdio.h>
#include <string.h>

#include "read/ncu/pb.h"
#include "read/ncu/source.h"

#define INSTRUCTION_BYTES 16 /* sm_70 and newer */
#define STALLED "smsp__pcsamp_warps_issue_stalled_"

struct spot { /* one instruction */
	double samples, not_issued, executed, thread_executed;
	double stall;
	struct str stall_name; /* the largest reason */
};
struct spots {
	const struct ncu_report *r;
	const struct ncu_result *res;
	struct arena *a;
	struct ncu_code code;
	struct spot **by_function;
	double total;
};

static const struct sheet_column sass_columns[] = {
	{"id", "id", "", 0},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY | SHEET_HIDDEN},
	{"function", "function", "", SHEET_TEXT},
	{"offset_bytes", "offset", "", 0},
	{"pc", "pc", "", SHEET_TEXT | SHEET_HIDDEN},
	{"file", "file", "", SHEET_TEXT | SHEET_HIDDEN},
	{"line", "line", "", 0},
	{"samples", "samples", "", SHEET_SHARE},
	{"not_issued", "not issued", "", 0},
	{"stall", "largest stall", "", SHEET_TEXT},
	{"executed", "executed", "inst", 0},
	{"thread_executed", "thread executed", "inst", SHEET_HIDDEN},
	{"code", "code", "", SHEET_TEXT | SHEET_HIDDEN},
};
static const struct sheet_column line_columns[] = {
	{"id", "id", "", 0},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY | SHEET_HIDDEN},
	{"file", "file", "", SHEET_TEXT},
	{"line", "line", "", 0},
	{"samples", "samples", "", SHEET_SHARE},
	{"samples_pct", "samples", "%", 0},
	{"not_issued", "not issued", "", SHEET_HIDDEN},
	{"stall", "largest stall", "", SHEET_TEXT},
	{"executed", "executed", "inst", 0},
	{"text", "source", "", SHEET_TEXT},
};

static struct spot *spot_at(struct spots *s, const struct ncu_metric *id)
{
	uint64_t offset;
	if (id->kind != NCU_U64)
		return NULL;
	const struct ncu_function *f = ncu_function_at(&s->code, id->u, &offset);
	return f ? &s->by_function[f - s->code.functions][offset / INSTRUCTION_BYTES] : NULL;
}

static void add_metric(struct spots *s, const struct ncu_metric *m)
{
	struct str name = s->r->names[m->name];
	bool is_stall = str_starts(name, STALLED), is_not_issued = is_stall && str_ends(name, "_not_issued");
	bool is_executed = str_is(name, "inst_executed"), is_thread = str_is(name, "thread_inst_executed");
	size_t n;
	if (!m->n_instances || !(is_stall || is_executed || is_thread))
		return;
	struct ncu_instance *in = ncu_instances(m, s->a, &n);
	for (size_t i = 0; i < n; i++) {
		struct spot *at = spot_at(s, &in[i].id);
		double v;
		if (!at || !ncu_number(&in[i].value, &v))
			continue;
		if (is_executed) {
			at->executed += v;
		} else if (is_thread) {
			at->thread_executed += v;
		} else if (is_not_issued) {
			at->not_issued += v;
		} else {
			at->samples += v;
			s->total += v;
			if (v > at->stall) {
				at->stall = v;
				at->stall_name = str_sub(name, strlen(STALLED), SIZE_MAX);
			}
		}
	}
}

static void spots_of(struct spots *s, const struct ncu_report *r, const struct ncu_result *res, struct arena *a)
{
	*s = (struct spots){.r = r, .res = res, .a = a};
	ncu_code_of(&s->code, r, res, a);
	s->by_function = ARENA_ARRAY(a, s->code.n_functions, struct spot *);
	for (size_t i = 0; i < s->code.n_functions; i++) {
		const struct line_function *code = s->code.functions[i].code;
		s->by_function[i] = ARENA_ARRAY(a, code ? code->code.n / INSTRUCTION_BYTES + 1 : 1, struct spot);
	}
	for (size_t i = 0; i < res->n_metrics; i++)
		add_metric(s, &res->metrics[i]);
}

static void put_code(struct sheet_cell *c, struct arena *a, struct str code)
{
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < code.n; i++)
		buf_printf(&b, "%02x", (unsigned char)code.p[i]);
	sheet_put_text(c, arena_str(a, buf_view(&b)));
	buf_release(&b);
}

static void sass_row(struct spots *s, size_t i_function, size_t k, struct sheet *out)
{
	const struct ncu_function *f = &s->code.functions[i_function];
	const struct spot *at = &s->by_function[i_function][k];
	uint64_t offset = k * INSTRUCTION_BYTES;
	const struct line_row *line = line_table_at(f->code, offset);
	struct sheet_cell *c = sheet_row(out);
	sheet_put(&c[0], s->res->id);
	sheet_put_text(&c[1], s->res->name);
	sheet_put_text(&c[2], f->symbol);
	sheet_put(&c[3], (double)offset);
	sheet_put_text(&c[4], str_from(arena_printf(s->a, "0x%llx", (unsigned long long)(f->address + offset))));
	if (line) {
		sheet_put_text(&c[5], line->file);
		sheet_put(&c[6], line->line);
	}
	sheet_put(&c[7], at->samples);
	sheet_put(&c[8], at->not_issued);
	if (at->stall_name.n)
		sheet_put_text(&c[9], at->stall_name);
	sheet_put(&c[10], at->executed);
	sheet_put(&c[11], at->thread_executed);
	put_code(&c[12], s->a, str_sub(f->code->code, (size_t)offset, INSTRUCTION_BYTES));
}

static bool was_seen(const struct spots *s, size_t i_function)
{
	size_t n = s->code.functions[i_function].code->code.n / INSTRUCTION_BYTES;
	for (size_t k = 0; k < n; k++) {
		if (s->by_function[i_function][k].samples > 0 || s->by_function[i_function][k].executed > 0)
			return true;
	}
	return false;
}

void hotspot_sass(const struct ncu_report *r, struct sheet *out, struct arena *a)
{
	sheet_init(out, a, "sass", sass_columns, COUNT_OF(sass_columns));
	out->title = "Instructions";
	for (size_t i = 0; i < r->n_results; i++) {
		struct spots s;
		spots_of(&s, r, &r->results[i], a);
		for (size_t f = 0; f < s.code.n_functions; f++) {
			const struct line_function *code = s.code.functions[f].code;
			for (size_t k = 0; code && was_seen(&s, f) && k < code->code.n / INSTRUCTION_BYTES; k++)
				sass_row(&s, f, k, out);
		}
	}
	if (!out->n_rows)
		out->note = "no instanced metrics with a binary: collected by the section SourceCounters";
}

/* SourceFiles: 1 repeated {1 name, 2 content} */
static struct str content_of(const struct ncu_report *r, struct str file)
{
	for (size_t i = 0; i < r->n_sources; i++) {
		struct pb w = pb_of(r->sources[i].files_raw);
		struct pb_field f = {0}, in;
		while (pb_next(&w, &f)) {
			struct str name = {NULL, 0}, content = {NULL, 0};
			if (f.number != 1 || f.wire != PB_BYTES)
				continue;
			struct pb inner = pb_of(f.bytes);
			while (pb_next(&inner, &in)) {
				if (in.number == 1 && in.wire == PB_BYTES)
					name = in.bytes;
				else if (in.number == 2 && in.wire == PB_BYTES)
					content = in.bytes;
			}
			if (name.n && str_eq(name, file))
				return content;
		}
	}
	return (struct str){NULL, 0};
}

static struct str line_text(struct str content, uint32_t line)
{
	struct str rest = content, text = {NULL, 0};
	for (uint32_t i = 0; i < line; i++) {
		if (!str_split(&rest, '\n', &text))
			return (struct str){NULL, 0};
	}
	return str_trim(text);
}

struct line_sum {
	struct str file;
	uint32_t line;
	struct spot sum;
};

static struct line_sum *sum_of(struct spots *s, struct map *lines, const struct line_row *row)
{
	char *key = arena_printf(s->a, "%.*s:%u", STR_ARG(row->file), row->line);
	struct map_entry *at = map_intern(lines, str_from(key), NULL);
	if (!at->value) {
		struct line_sum *sum = ARENA_NEW(s->a, struct line_sum);
		sum->file = row->file;
		sum->line = row->line;
		at->value = sum;
	}
	return at->value;
}

static void add_function(struct spots *s, size_t i, struct map *lines)
{
	const struct line_function *code = s->code.functions[i].code;
	for (size_t k = 0; code && k < code->code.n / INSTRUCTION_BYTES; k++) {
		const struct spot *at = &s->by_function[i][k];
		const struct line_row *row = line_table_at(code, k * INSTRUCTION_BYTES);
		if (!row || (at->samples <= 0 && at->executed <= 0))
			continue;
		struct spot *sum = &sum_of(s, lines, row)->sum;
		sum->samples += at->samples;
		sum->not_issued += at->not_issued;
		sum->executed += at->executed;
		if (at->stall > sum->stall) {
			sum->stall = at->stall;
			sum->stall_name = at->stall_name;
		}
	}
}

static void line_row(struct spots *s, const struct line_sum *sum, struct sheet *out)
{
	struct sheet_cell *c = sheet_row(out);
	struct str text = line_text(content_of(s->r, sum->file), sum->line);
	sheet_put(&c[0], s->res->id);
	sheet_put_text(&c[1], s->res->name);
	sheet_put_text(&c[2], sum->file);
	sheet_put(&c[3], sum->line);
	sheet_put(&c[4], sum->sum.samples);
	if (s->total > 0)
		sheet_put(&c[5], 100 * sum->sum.samples / s->total);
	sheet_put(&c[6], sum->sum.not_issued);
	if (sum->sum.stall_name.n)
		sheet_put_text(&c[7], sum->sum.stall_name);
	sheet_put(&c[8], sum->sum.executed);
	if (text.n)
		sheet_put_text(&c[9], text);
}

void hotspot_lines(const struct ncu_report *r, struct sheet *out, struct arena *a)
{
	const char *problem = "no result";
	sheet_init(out, a, "source", line_columns, COUNT_OF(line_columns));
	out->title = "Source lines";
	for (size_t i = 0; i < r->n_results; i++) {
		struct spots s;
		struct map lines;
		spots_of(&s, r, &r->results[i], a);
		map_init(&lines, a);
		for (size_t f = 0; f < s.code.n_functions; f++)
			add_function(&s, f, &lines);
		for (size_t k = 0; k < lines.n; k++)
			line_row(&s, lines.entries[k].value, out);
		problem = s.code.line_problem ? s.code.line_problem : "no instanced metrics (section SourceCounters)";
	}
	out->note = out->n_rows ? "samples of the warp sampler by source line" : problem;
}
