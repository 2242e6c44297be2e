/* `read --join`: one kernel over several reports: its share of a trace, why it takes its time, what the compiler and the binary say.
 * In: a trace, Nsight Compute reports, binaries, compiler logs, in any order.
 * Out: one row a kernel and launch shape, with the sources that know it.
 * Never: joins by name alone where launch shapes are known and differ. */
#include <string.h>

#include "base/log.h"
#include "facts/kernel_name.h"
#include "verb/read_job.h"

static const struct sheet_column columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"grid", "grid", "", SHEET_TEXT},
	{"block", "block", "", SHEET_TEXT | SHEET_HIDDEN},
	{"launches", "n", "", 0},
	{"total_ns", "time", "ns", SHEET_SHARE},
	{"share_pct", "share", "%", 0},
	{"results", "results", "", SHEET_HIDDEN},
	{"profiled_ns", "profiled", "ns", 0},
	{"sm_pct", "SM", "%", 0},
	{"memory_pct", "mem", "%", 0},
	{"dram_pct", "DRAM", "%", SHEET_HIDDEN},
	{"achieved_pct", "achieved", "%", 0},
	{"rules", "rules", "", SHEET_TEXT | SHEET_HIDDEN},
	{"registers", "regs", "register/thread", 0},
	{"binary_registers", "binary", "register/thread", 0},
	{"compiler_registers", "ptxas", "register/thread", 0},
	{"spill_bytes", "spills", "byte", 0},
	{"stack_bytes", "stack", "byte", SHEET_HIDDEN},
	{"static_shared_bytes", "static shared", "byte", SHEET_HIDDEN},
	{"occupancy_pct", "max", "%", 0},
	{"limiter", "limited by", "", SHEET_TEXT},
	{"sources", "known to", "", SHEET_TEXT},
	{"differs", "differs", "", SHEET_TEXT},
};
enum {
	C_KERNEL,
	C_GRID,
	C_BLOCK,
	C_LAUNCHES,
	C_TOTAL,
	C_SHARE,
	C_RESULTS,
	C_PROFILED,
	C_SM,
	C_MEMORY,
	C_DRAM,
	C_ACHIEVED,
	C_RULES,
	C_REGISTERS,
	C_BINARY_REGISTERS,
	C_COMPILER_REGISTERS,
	C_SPILLS,
	C_STACK,
	C_STATIC,
	C_OCCUPANCY,
	C_LIMITER,
	C_SOURCES,
	C_DIFFERS,
	COLUMNS
};

struct row {
	struct str base, instance;
	struct row *next; /* of the same base name and launch shape */
	size_t n_profiled;
	struct sheet_cell cells[COLUMNS];
	double other_registers; /* another launch of it had; 0: none */
	unsigned sources;       /* bits of source_names */
	bool is_ambiguous, rules_vary;
};
static const char *const source_names[] = {"nsys", "kineto", "ncu", "elf", "ptxas", "sass"};
struct job {
	const struct read_options *o;
	struct arena *a;
	struct row **v;
	size_t n, cap;
	struct map by_key;
};

static unsigned source_of(const char *reader)
{
	for (unsigned i = 0; i < COUNT_OF(source_names); i++) {
		if (strcmp(reader, source_names[i]) == 0)
			return 1u << i;
	}
	return 0;
}

static const struct sheet_cell *cell(const struct sheet *s, size_t row, const char *column)
{
	for (size_t c = 0; c < s->n_columns; c++) {
		if (strcmp(s->columns[c].name, column) == 0)
			return &s->cells[row * s->n_columns + c];
	}
	return NULL;
}

static void take(struct row *r, int to, const struct sheet *s, size_t row, const char *column)
{
	const struct sheet_cell *from = cell(s, row, column);
	if (from && from->has && !r->cells[to].has)
		r->cells[to] = *from;
}

/* The instantiation that a name means, as every tool writes it: without parameters, blanks and the casts that some put
 * before numbers: "void app::scale<float, (int)4>(T1 *)" -> "app::scale<float,4>". */
static struct str instance_of(struct job *j, struct str name)
{
	struct buf b;
	struct str s = kernel_name_at(j->a, name, KERNEL_NAME_BUILD);
	buf_init(&b);
	for (size_t i = 0; i < s.n; i++) {
		size_t close = s.p[i] == '(' ? i + 1 : 0;
		while (close && close < s.n && ((s.p[close] >= 'a' && s.p[close] <= 'z') || s.p[close] == ' '))
			close++;
		bool is_cast = close > i + 1 && close + 1 < s.n && s.p[close] == ')' &&
			       (s.p[close + 1] == '-' || (s.p[close + 1] >= '0' && s.p[close + 1] <= '9'));
		if (is_cast)
			i = close;
		else if (s.p[i] != ' ')
			buf_char(&b, s.p[i]);
	}
	struct str kept = arena_str(j->a, buf_view(&b));
	buf_release(&b);
	return kept;
}

static struct row *new_row(struct job *j, struct str name, struct str grid, struct str block)
{
	struct row *r = ARENA_NEW(j->a, struct row);
	r->base = kernel_name_base(j->a, name);
	r->instance = instance_of(j, name);
	sheet_put_text(&r->cells[C_KERNEL], name);
	if (grid.n)
		sheet_put_text(&r->cells[C_GRID], grid);
	if (block.n)
		sheet_put_text(&r->cells[C_BLOCK], block);
	if (j->n == j->cap) {
		size_t cap = j->cap ? j->cap * 2 : 64;
		struct row **more = ARENA_ARRAY(j->a, cap, struct row *);
		if (j->n)
			memcpy(more, j->v, j->n * sizeof(*more));
		j->v = more;
		j->cap = cap;
	}
	return j->v[j->n++] = r;
}

/* Whether the name says which instantiation of a template it means. */
static bool is_exact(struct str name)
{
	return str_find_char(name, '<') != SIZE_MAX;
}

/* The row of a launch shape: the same name, else the same instantiation, else the only one of that base name, where one of
 * the two names says no template arguments (a short or a mangled name). */
static struct row *row_of(struct job *j, struct str name, struct str grid, struct str block)
{
	const char *key = arena_printf(j->a, "%.*s|%.*s|%.*s", STR_ARG(kernel_name_base(j->a, name)), STR_ARG(grid),
				       STR_ARG(block));
	struct map_entry *at = map_intern(&j->by_key, str_from(key), NULL);
	struct str instance = instance_of(j, name);
	struct row *same = NULL, *loose = NULL;
	size_t n_loose = 0;
	for (struct row *r = at->value; r; r = r->next) {
		const struct str *own = &r->cells[C_KERNEL].text;
		if (str_eq(*own, name))
			return r;
		if (str_eq(r->instance, instance))
			same = r;
		if (!is_exact(*own) || !is_exact(name)) {
			loose = r;
			n_loose++;
		}
	}
	if (same || n_loose == 1)
		return same ? same : loose;
	struct row *r = new_row(j, name, grid, block);
	r->next = at->value;
	r->is_ambiguous = n_loose > 1;
	at->value = r;
	return r;
}

static struct sheet *sheet_named(struct sheet *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	}
	return NULL;
}

/* A launch shape may come several times, with other registers or shared memory: what they took is added up. */
static void add_cell(struct row *r, int to, const struct sheet *s, size_t row, const char *column)
{
	const struct sheet_cell *from = cell(s, row, column);
	if (from && from->has)
		sheet_put(&r->cells[to], from->v + (r->cells[to].has ? r->cells[to].v : 0));
}

/* Several results of one launch shape: their mean. */
static void mean_cell(struct row *r, int to, const struct sheet *s, size_t row, const char *column)
{
	const struct sheet_cell *from = cell(s, row, column);
	double n = (double)r->n_profiled;
	if (from && from->has && (r->cells[to].has || r->n_profiled == 1))
		sheet_put(&r->cells[to], ((n - 1) * (n > 1 ? r->cells[to].v : 0) + from->v) / n);
	else if (r->n_profiled > 1)
		r->cells[to].has = false; /* not every result has it */
}

static void registers(struct row *r, const struct sheet *s, size_t row)
{
	const struct sheet_cell *from = cell(s, row, "registers");
	if (from && from->has && r->cells[C_REGISTERS].has && from->v != r->cells[C_REGISTERS].v)
		r->other_registers = from->v;
	take(r, C_REGISTERS, s, row, "registers");
}

static void add_traced(struct row *row, const struct sheet *s, size_t i)
{
	registers(row, s, i);
	add_cell(row, C_LAUNCHES, s, i, "count");
	add_cell(row, C_TOTAL, s, i, "total_ns");
	add_cell(row, C_SHARE, s, i, cell(s, i, "share_pct") ? "share_pct" : "time_pct");
	take(row, C_OCCUPANCY, s, i, "occupancy_pct");
	take(row, C_LIMITER, s, i, "limiter");
}

static void add_profiled(struct row *row, const struct sheet *s, const struct sheet *occupancy, size_t i)
{
	row->n_profiled++;
	registers(row, s, i);
	sheet_put(&row->cells[C_RESULTS], (double)row->n_profiled);
	mean_cell(row, C_PROFILED, s, i, "time_ns");
	mean_cell(row, C_SM, s, i, "sm_pct");
	mean_cell(row, C_MEMORY, s, i, "memory_pct");
	mean_cell(row, C_DRAM, s, i, "dram_pct");
	mean_cell(row, C_ACHIEVED, s, i, "occupancy_pct");
	const struct sheet_cell *rules = cell(s, i, "rules");
	row->rules_vary |= row->cells[C_RULES].has && !str_eq(row->cells[C_RULES].text, rules->text);
	take(row, C_RULES, s, i, "rules");
	if (!occupancy || i >= occupancy->n_rows || !cell(occupancy, i, "theoretical_pct")->has)
		return;
	/* ncu knows how much shared memory the driver set aside; a trace does not */
	row->cells[C_OCCUPANCY] = *cell(occupancy, i, "theoretical_pct");
	row->cells[C_LIMITER] = *cell(occupancy, i, "limiter");
}

/* Rows of a trace's launches, or of profiled launches. */
static void add_launches(struct job *j, struct read_job *r)
{
	size_t n;
	bool is_trace = r->reader->trace != NULL;
	struct sheet *all = r->reader->sheets(r->report, is_trace ? "launches" : "occupancy", j->a, &n);
	const struct sheet *s = sheet_named(all, n, is_trace ? "launches" : "kernels"),
			   *occupancy = sheet_named(all, n, "occupancy");
	for (size_t i = 0; s && i < s->n_rows; i++) {
		const struct sheet_cell *name = cell(s, i, is_trace ? "name" : "kernel"), *grid = cell(s, i, "grid"),
					*block = cell(s, i, "block");
		if (j->o->filter && !sheet_match(name->text, j->o->filter))
			continue;
		struct row *row = row_of(j, name->text, grid->text, block->text);
		row->sources |= source_of(r->reader->name);
		if (is_trace)
			add_traced(row, s, i);
		else
			add_profiled(row, s, occupancy, i);
	}
}

struct build { /* a kernel of a binary or a compiler's log */
	struct str name, base;
	bool has_registers, has_spills, has_stack, has_static;
	double registers, spills, stack, fixed;
};

static bool ends(const struct fact *f, const char *what)
{
	return str_ends(f->id, what);
}

static void add_fact(struct build *b, const struct fact *f)
{
	double v = f->type == FACT_COUNT ? (double)f->count : f->real;
	if (ends(f, ".registers")) {
		b->registers = v;
		b->has_registers = true;
	} else if (ends(f, ".spill_store_bytes") || ends(f, ".spill_load_bytes")) {
		b->spills += v;
		b->has_spills = true;
	} else if (ends(f, ".stack_frame_bytes")) {
		b->stack = v;
		b->has_stack = true;
	} else if (ends(f, ".static_shared_bytes")) {
		b->fixed = v;
		b->has_static = true;
	}
}

static void join_build(struct row *r, const struct build *b, unsigned source)
{
	bool is_binary = source == source_of("elf");
	r->sources |= source;
	if (b->has_registers)
		sheet_put(&r->cells[is_binary ? C_BINARY_REGISTERS : C_COMPILER_REGISTERS], b->registers);
	if (b->has_spills)
		sheet_put(&r->cells[C_SPILLS], b->spills);
	if (b->has_stack)
		sheet_put(&r->cells[C_STACK], b->stack);
	if (b->has_static)
		sheet_put(&r->cells[C_STATIC], b->fixed);
}

/* The build of the row's kernel: the only one of its name, or the only one with the registers that were launched. */
static const struct build *choose(struct row *r, const struct build *v, size_t n)
{
	const struct build *named = NULL, *fits = NULL;
	size_t n_named = 0, n_fits = 0;
	const struct sheet_cell *regs = &r->cells[C_REGISTERS];
	for (size_t i = 0; i < n; i++) {
		if (!str_eq(v[i].base, r->base))
			continue;
		n_named++;
		named = &v[i];
		if (regs->has && v[i].has_registers && v[i].registers == regs->v) {
			n_fits++;
			fits = &v[i];
		}
	}
	r->is_ambiguous |= n_named > 1 && n_fits != 1;
	return n_named == 1 ? named : n_fits == 1 ? fits : NULL;
}

static bool add_builds(struct job *j, struct read_job *r, struct err *e)
{
	struct reader_json_options jo = {0};
	struct fact_set facts;
	struct map names;
	if (!r->reader->facts)
		return err_set(e, ERR_USAGE, "%s: a %s says nothing of kernels", r->path, r->reader->title);
	fact_set_init(&facts, j->a, r->reader->name);
	r->reader->facts(r->report, &facts, &jo);
	map_init(&names, j->a);
	struct build *v = ARENA_ARRAY(j->a, facts.n + 1, struct build);
	size_t n = 0;
	for (size_t i = 0; i < facts.n; i++) {
		const struct fact *f = &facts.items[i];
		if (f->scope != FACT_KERNEL || f->type == FACT_TEXT)
			continue;
		/* the source is the architecture: a kernel of several is several builds */
		const char *key = arena_printf(j->a, "%.*s|%.*s", STR_ARG(f->subject), STR_ARG(f->source));
		struct map_entry *at = map_intern(&names, str_from(key), NULL);
		if (!at->value) {
			v[n] = (struct build){.name = f->subject, .base = kernel_name_base(j->a, f->subject)};
			at->value = &v[n++];
		}
		add_fact(at->value, f);
	}
	size_t n_launched = j->n;
	for (size_t i = 0; i < n_launched; i++) {
		const struct build *b = choose(j->v[i], v, n);
		if (b)
			join_build(j->v[i], b, source_of(r->reader->name));
	}
	for (size_t i = 0; i < n; i++) {
		bool known = false;
		for (size_t k = 0; k < n_launched; k++)
			known |= str_eq(j->v[k]->base, v[i].base);
		if (!known && (!j->o->filter || sheet_match(v[i].name, j->o->filter)))
			join_build(row_of(j, v[i].name, (struct str){0}, (struct str){0}), &v[i],
				   source_of(r->reader->name));
	}
	return true;
}

static void put_difference(struct buf *b, const struct row *r, int other, const char *what)
{
	const struct sheet_cell *regs = &r->cells[C_REGISTERS], *v = &r->cells[other];
	if (regs->has && v->has && regs->v != v->v)
		buf_printf(b, "%slaunched with %.0f registers, %s %.0f", b->n ? "; " : "", regs->v, what, v->v);
}

static void put_row(struct job *j, struct sheet *out, struct row *r)
{
	struct buf sources, differs;
	struct sheet_cell *c = sheet_row(out);
	buf_init(&sources);
	buf_init(&differs);
	for (unsigned i = 0; i < COUNT_OF(source_names); i++) {
		if (r->sources >> i & 1)
			buf_printf(&sources, "%s%s", sources.n ? "+" : "", source_names[i]);
	}
	if (r->other_registers > 0)
		buf_printf(&differs, "launched with %.0f and %.0f registers", r->cells[C_REGISTERS].v,
			   r->other_registers);
	put_difference(&differs, r, C_BINARY_REGISTERS, "binary");
	put_difference(&differs, r, C_COMPILER_REGISTERS, "ptxas");
	if (r->rules_vary)
		buf_printf(&differs, "%sits results satisfy different rules", differs.n ? "; " : "");
	if (r->is_ambiguous)
		buf_printf(&differs, "%sseveral kernels have this name", differs.n ? "; " : "");
	memcpy(c, r->cells, sizeof(r->cells));
	sheet_put_text(&c[C_SOURCES], arena_str(j->a, buf_view(&sources)));
	if (differs.n)
		sheet_put_text(&c[C_DIFFERS], arena_str(j->a, buf_view(&differs)));
	buf_release(&sources);
	buf_release(&differs);
}

/* Columns that nobody filled are not shown. */
static void hide_empty(struct sheet *s)
{
	struct sheet_column *own = ARENA_ARRAY(s->arena, s->n_columns, struct sheet_column);
	memcpy(own, s->columns, s->n_columns * sizeof(*own));
	for (size_t c = 0; c < s->n_columns; c++) {
		bool any = false;
		for (size_t i = 0; i < s->n_rows; i++)
			any |= s->cells[i * s->n_columns + c].has;
		own[c].flags |= any ? 0u : SHEET_HIDDEN;
	}
	s->columns = own;
}

/* Launches first, so that builds find the kernels they belong to. */
static bool add_all(struct job *j, struct read_job *jobs, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].reader->trace)
			add_launches(j, &jobs[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (strcmp(jobs[i].reader->name, "ncu") == 0)
			add_launches(j, &jobs[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (!jobs[i].reader->trace && strcmp(jobs[i].reader->name, "ncu") != 0 && !add_builds(j, &jobs[i], e))
			return false;
	}
	return true;
}

bool read_join(const struct read_options *o, struct verb_call *call, struct err *e)
{
	struct job j = {.o = o, .a = call->arena};
	struct read_job *jobs = ARENA_ARRAY(j.a, o->files.n, struct read_job);
	struct read_options plain = *o;
	struct sheet out;
	bool ok = true;
	plain.table = NULL;
	map_init(&j.by_key, j.a);
	struct json *doc = read_document(j.a, "assay/read-join-v1", "join"), *files = json_set_array(doc, "files");
	for (size_t i = 0; i < o->files.n && ok; i++) {
		ok = read_job_open(&jobs[i], &plain, call, o->files.items[i], e);
		json_push_str(files, str_from(o->files.items[i]));
	}
	ok = ok && add_all(&j, jobs, o->files.n, e);
	sheet_init(&out, j.a, "kernels", columns, COUNT_OF(columns));
	out.title = "Kernels";
	out.note = "by name and launch shape; share: of the trace; profiled, SM, mem: by Nsight Compute, the mean of "
		   "several results; spills: by "
		   "the compiler; "
		   "max, limited by: occupancy by ncu, else from the launch; achieved: by ncu";
	out.is_main = true;
	for (size_t i = 0; i < j.n && ok; i++)
		put_row(&j, &out, j.v[i]);
	hide_empty(&out);
	ok = ok && read_print_sheets(&plain, call, doc, &out, 1, e);
	for (size_t i = 0; i < o->files.n; i++) {
		if (ok && *jobs[i].damage.text) {
			log_note("%s: %s", jobs[i].path, jobs[i].damage.text);
			call->status = err_exit(ERR_INPUT);
		}
		read_job_close(&jobs[i]);
	}
	return ok;
}
