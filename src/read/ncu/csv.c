/* `ncu --csv` exports.
 * In: text of the raw or details page, with log lines before and between.
 * Out: the same struct as a report gives; values in base units.
 * Never: guesses a column; key columns are found by name or missed by name. */
#include "read/ncu/csv.h"

#include <stdio.h>
#include <stdlib.h>

#include "facts/metric.h"
#include "facts/unit.h"
#include "read/ncu/number.h"
#include "read/ncu/record.h"
#include "read/ncu/schema.h"
#include "read/ncu/section.h"

#define HEAD_SEARCH (1u << 20)
#define MAX_COLUMNS RECORD_MAX_CELLS

/* Identity columns: name, whether every export has it. */
#define ID_COLUMNS(X)                                                                                                  \
	X(ID, "ID", 1)                                                                                                 \
	X(PID, "Process ID", 1)                                                                                        \
	X(PROCESS, "Process Name", 1)                                                                                  \
	X(HOST, "Host Name", 0)                                                                                        \
	X(KERNEL, "Kernel Name", 1)                                                                                    \
	X(CONTEXT, "Context", 1)                                                                                       \
	X(STREAM, "Stream", 1)                                                                                         \
	X(BLOCK, "Block Size", 0)                                                                                      \
	X(GRID, "Grid Size", 0)                                                                                        \
	X(DEVICE, "Device", 0)                                                                                         \
	X(CC, "CC", 0)                                                                                                 \
	X(SECTION, "Section Name", 0)                                                                                  \
	X(METRIC, "Metric Name", 0)                                                                                    \
	X(UNIT, "Metric Unit", 0)                                                                                      \
	X(VALUE, "Metric Value", 0)                                                                                    \
	X(RULE, "Rule Name", 0)                                                                                        \
	X(RULE_TYPE, "Rule Type", 0)                                                                                   \
	X(RULE_TEXT, "Rule Description", 0)                                                                            \
	X(SPEEDUP_TYPE, "Estimated Speedup Type", 0)                                                                   \
	X(SPEEDUP, "Estimated Speedup", 0)                                                                             \
	X(ITEM, "Body Item Label", 0)
enum id_column {
#define COLUMN(e, name, required) COLUMN_##e,
	ID_COLUMNS(COLUMN)
#undef COLUMN
		COLUMN_COUNT
};
static const struct {
	const char *name;
	bool is_required;
} id_columns[] = {
#define COLUMN(e, name, required) {name, required},
	ID_COLUMNS(COLUMN)
#undef COLUMN
};

struct metric_column {
	uint32_t name; /* NCU_NO_METRIC: not a metric */
	double factor;
	bool is_key; /* has a semantic id */
};
struct sheet {
	struct ncu_report *r;
	struct arena scratch;
	bool has_header, is_details, wants_units;
	bool is_cut; /* the row at hand ends with the file, not with a new line */
	size_t n_columns;
	size_t at[COLUMN_COUNT]; /* SIZE_MAX: absent */
	size_t nvtx_push, nvtx_start;
	struct metric_column *columns;
	size_t cap_names, cap_results, cap_metrics, cap_rows;
	struct map processes, results; /* details: result by ID cell of this header */
};

bool csv_is_export(struct str text)
{
	struct str head = str_sub(text, 0, HEAD_SEARCH);
	if (str_starts(head, "\"ID\","))
		return true;
	return str_find(head, STR("\n\"ID\",")) != SIZE_MAX;
}

/* Text of the file inside a message: one line, not long. */
static const char *shown(struct sheet *s, struct str text)
{
	char *p = arena_strndup(&s->scratch, text.p ? text.p : "", text.n < 80 ? text.n : 80);
	for (char *c = p; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
	return p;
}

static uint32_t intern_name(struct sheet *s, struct str name)
{
	struct ncu_report *r = s->r;
	bool is_new;
	struct map_entry *at = map_intern(&r->name_index, name, &is_new);
	if (!is_new)
		return (uint32_t)((uintptr_t)at->value - 1);
	if (r->n_names == s->cap_names) {
		s->cap_names = s->cap_names ? s->cap_names * 2 : 256;
		struct str *names = ARENA_ARRAY(&r->arena, s->cap_names, struct str);
		const char **units = ARENA_ARRAY(&r->arena, s->cap_names, const char *);
		if (r->n_names) {
			memcpy(names, r->names, r->n_names * sizeof(*names));
			memcpy(units, r->units, r->n_names * sizeof(*units));
		}
		r->names = names;
		r->units = units;
	}
	at->value = (void *)(uintptr_t)(r->n_names + 1);
	r->names[r->n_names] = at->key;
	r->units[r->n_names] = "";
	return (uint32_t)r->n_names++;
}

static struct str cell_of(const struct sheet *s, const struct record *rec, enum id_column c)
{
	size_t i = s->at[c];
	return i < rec->n ? rec->cells[i] : (struct str){NULL, 0};
}

static bool take_header(struct sheet *s, const struct record *rec, struct err *e)
{
	struct ncu_report *r = s->r;
	size_t last_id = 0;
	for (int c = 0; c < COLUMN_COUNT; c++)
		s->at[c] = SIZE_MAX;
	s->nvtx_push = s->nvtx_start = SIZE_MAX;
	s->columns = ARENA_ARRAY(&r->arena, rec->n, struct metric_column);
	s->n_columns = rec->n;
	for (size_t i = 0; i < rec->n; i++) {
		s->columns[i] = (struct metric_column){NCU_NO_METRIC, 1.0, false};
		for (int c = 0; c < COLUMN_COUNT; c++) {
			if (str_is(rec->cells[i], id_columns[c].name)) {
				s->at[c] = i;
				last_id = i;
			}
		}
		if (str_starts(rec->cells[i], "thread Domain:Push/Pop_Range"))
			s->nvtx_push = i;
		else if (str_starts(rec->cells[i], "Id:Domain:Start/Stop_Range"))
			s->nvtx_start = i;
	}
	for (int c = 0; c < COLUMN_COUNT; c++) {
		if (id_columns[c].is_required && s->at[c] == SIZE_MAX)
			return err_set(e, ERR_INPUT, "%s: offset %zu: the key column \"%s\" is missing", r->path.p,
				       rec->offset, id_columns[c].name);
	}
	s->is_details = s->at[COLUMN_METRIC] != SIZE_MAX;
	if (s->is_details && s->at[COLUMN_VALUE] == SIZE_MAX)
		return err_set(e, ERR_INPUT, "%s: offset %zu: the key column \"Metric Value\" is missing", r->path.p,
			       rec->offset);
	if (s->is_details && s->at[COLUMN_UNIT] == SIZE_MAX)
		return err_set(e, ERR_INPUT, "%s: offset %zu: the key column \"Metric Unit\" is missing", r->path.p,
			       rec->offset);
	enum metric_id m;
	for (size_t i = last_id + 1; i < rec->n && !s->is_details; i++) {
		s->columns[i].name = intern_name(s, rec->cells[i]);
		s->columns[i].is_key = metric_from_name(rec->cells[i], &m);
	}
	s->has_header = true;
	s->wants_units = !s->is_details;
	map_init(&s->results, &r->arena);
	return true;
}

/* The unit of a metric with a semantic id must be known and of its dimension. */
static bool take_unit(struct sheet *s, const struct record *rec, struct str name, struct str text, struct unit *out,
		      struct err *e)
{
	enum metric_id m;
	bool is_key = metric_from_name(name, &m), known = unit_parse(out, text);
	if (is_key && !known)
		return err_set(e, ERR_INPUT, "%s: offset %zu: metric %s has the unknown unit \"%s\"", s->r->path.p,
			       rec->offset, shown(s, name), shown(s, text));
	if (is_key && text.n && strcmp(out->base, metric_unit(name)) != 0 &&
	    strcmp(out->base, metric_row(m)->unit) != 0)
		return err_set(e, ERR_INPUT,
			       "%s: offset %zu: metric %s has the unit \"%s\"; it is in \"%s\" in every known "
			       "version",
			       s->r->path.p, rec->offset, shown(s, name), shown(s, text), metric_row(m)->unit);
	if (!known) {
		struct pb_field f = {.wire = PB_BYTES};
		schema_note(s->r, "unit of a column", &f, s->r->bytes.p + rec->offset);
		snprintf(out->base, sizeof(out->base), "%.*s", (int)(text.n < UNIT_MAX - 1 ? text.n : UNIT_MAX - 1),
			 text.p);
		out->factor = 1.0;
	}
	return true;
}

static bool take_units(struct sheet *s, const struct record *rec, struct err *e)
{
	struct ncu_report *r = s->r;
	for (size_t i = 0; i < s->n_columns && i < rec->n; i++) {
		struct unit u;
		uint32_t name = s->columns[i].name;
		if (name == NCU_NO_METRIC)
			continue;
		if (!take_unit(s, rec, r->names[name], rec->cells[i], &u, e))
			return false;
		s->columns[i].factor = u.factor;
		r->units[name] = arena_strdup(&r->arena, u.base);
	}
	s->wants_units = false;
	return true;
}

static struct ncu_dim3 dim3_of(struct str text)
{
	uint64_t v[3] = {0, 0, 0};
	struct str rest = str_sub(text, 1, text.n >= 2 ? text.n - 2 : 0), part;
	for (size_t i = 0; i < 3 && str_split(&rest, ',', &part); i++) {
		if (!str_u64(str_trim(part), &v[i]))
			v[i] = 0;
	}
	return (struct ncu_dim3){v[0], v[1], v[2]};
}

static bool u32_of(struct str text, uint32_t *out)
{
	uint64_t v;
	if (!str_u64(text, &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static const struct ncu_process *process_of(struct sheet *s, const struct record *rec)
{
	struct ncu_report *r = s->r;
	struct str pid = cell_of(s, rec, COLUMN_PID), name = cell_of(s, rec, COLUMN_PROCESS);
	char *key = arena_printf(&s->scratch, "%.*s %.*s", STR_ARG(pid), STR_ARG(name));
	struct map_entry *at = map_intern(&s->processes, str_from(key), NULL);
	if (at->value)
		return at->value;
	struct ncu_process *p = ARENA_NEW(&r->arena, struct ncu_process);
	p->i = s->processes.n - 1;
	if (!u32_of(pid, &p->pid))
		p->pid = 0;
	p->path = arena_str(&r->arena, name);
	p->host = arena_str(&r->arena, cell_of(s, rec, COLUMN_HOST));
	at->value = p;
	return p;
}

static enum ncu_kind kind_of(struct str name, bool has_stream)
{
	if (str_is(name, "range") && !has_stream)
		return NCU_RANGE;
	return str_is(name, "graph") ? NCU_GRAPH : str_is(name, "cmdlist") ? NCU_CMDLIST : NCU_KERNEL;
}

static struct ncu_result *new_result(struct sheet *s, const struct record *rec)
{
	struct ncu_report *r = s->r;
	if (r->n_results == s->cap_results) {
		s->cap_results = s->cap_results ? s->cap_results * 2 : 16;
		struct ncu_result *more = ARENA_ARRAY(&r->arena, s->cap_results, struct ncu_result);
		if (r->n_results)
			memcpy(more, r->results, r->n_results * sizeof(*more));
		r->results = more;
	}
	struct ncu_result *res = &r->results[r->n_results];
	*res = (struct ncu_result){.id = (uint32_t)r->n_results, .process = process_of(s, rec)};
	r->n_results++;
	struct str cc = cell_of(s, rec, COLUMN_CC);
	size_t dot = str_find_char(cc, '.');
	res->has_context = u32_of(cell_of(s, rec, COLUMN_CONTEXT), &res->context);
	res->has_stream = u32_of(cell_of(s, rec, COLUMN_STREAM), &res->stream);
	res->has_device = u32_of(cell_of(s, rec, COLUMN_DEVICE), &res->device);
	res->has_cc = dot != SIZE_MAX && u32_of(str_sub(cc, 0, dot), &res->cc_major) &&
		      u32_of(str_sub(cc, dot + 1, SIZE_MAX), &res->cc_minor);
	res->name = arena_str(&r->arena, cell_of(s, rec, COLUMN_KERNEL));
	res->kind = kind_of(res->name, res->has_stream);
	res->has_dims = cell_of(s, rec, COLUMN_GRID).n > 2 && cell_of(s, rec, COLUMN_BLOCK).n > 2;
	if (res->has_dims) {
		res->grid = dim3_of(cell_of(s, rec, COLUMN_GRID));
		res->block = dim3_of(cell_of(s, rec, COLUMN_BLOCK));
	}
	if (s->nvtx_push < rec->n)
		res->nvtx_push = arena_str(&r->arena, rec->cells[s->nvtx_push]);
	if (s->nvtx_start < rec->n)
		res->nvtx_start = arena_str(&r->arena, rec->cells[s->nvtx_start]);
	return res;
}

static bool value_of(struct sheet *s, const struct record *rec, struct ncu_metric *out, struct str text, double factor,
		     struct err *e)
{
	struct ncu_report *r = s->r;
	enum metric_id m;
	bool is_key = metric_from_name(r->names[out->name], &m);
	if (!number_parse(out, text, factor) && is_key)
		return err_set(e, ERR_INPUT,
			       "%s: offset %zu: metric %s is \"%s\", which is no number (export with LC_ALL=C)",
			       r->path.p, rec->offset, shown(s, r->names[out->name]), shown(s, text));
	if (text.n > UINT32_MAX)
		return err_set(e, ERR_INPUT, "%s: offset %zu: a cell of more than 4 GiB", r->path.p, rec->offset);
	double v;
	if (factor != 1.0 && ncu_number(out, &v)) /* the printed form was scaled */
		return true;
	out->text = arena_str(&r->arena, text).p;
	out->n_text = (uint32_t)text.n;
	return true;
}

static int by_name(const void *a, const void *b)
{
	uint32_t x = ((const struct ncu_metric *)a)->name, y = ((const struct ncu_metric *)b)->name;
	return x < y ? -1 : x > y;
}

static bool take_raw(struct sheet *s, const struct record *rec, struct err *e)
{
	struct ncu_result *res = new_result(s, rec);
	res->metrics = ARENA_ARRAY(&s->r->arena, s->n_columns, struct ncu_metric);
	for (size_t i = 0; i < s->n_columns; i++) {
		struct ncu_metric m = {.name = s->columns[i].name};
		if (m.name == NCU_NO_METRIC)
			continue;
		if (!value_of(s, rec, &m, rec->cells[i], s->columns[i].factor, e))
			return false;
		res->metrics[res->n_metrics++] = m;
	}
	if (res->n_metrics)
		qsort(res->metrics, res->n_metrics, sizeof(*res->metrics), by_name);
	return true;
}

/* The profiler name of a details row: the label itself (command-line metrics), or that of a semantic id with this label
 * whose unit fits. Empty: not known. */
static struct str name_of_row(struct str label, const char *base)
{
	if (str_find(label, STR("__")) != SIZE_MAX)
		return label;
	for (int m = 0; m < METRIC_COUNT; m++) {
		const struct metric_row *row = metric_row((enum metric_id)m);
		if (str_is(label, row->label) && strcmp(row->unit, base) == 0)
			return metric_name((enum metric_id)m, 0);
	}
	return (struct str){NULL, 0};
}

static struct ncu_result *details_result(struct sheet *s, const struct record *rec)
{
	struct map_entry *at = map_intern(&s->results, cell_of(s, rec, COLUMN_ID), NULL);
	if (!at->value) {
		new_result(s, rec);
		at->value = (void *)(uintptr_t)s->r->n_results;
	}
	return &s->r->results[(uintptr_t)at->value - 1];
}

static void *grown(struct arena *a, void *items, size_t n, size_t size)
{
	if (n & (n - 1))
		return items;
	void *more = arena_array(a, n ? n * 2 : 1, size);
	if (n)
		memcpy(more, items, n * size);
	return more;
}

static void take_rule(struct sheet *s, const struct record *rec, struct ncu_result *res)
{
	struct arena *a = &s->r->arena;
	struct str type = cell_of(s, rec, COLUMN_RULE_TYPE);
	struct ncu_rule rule = {.id = arena_str(a, cell_of(s, rec, COLUMN_RULE)),
				.section = arena_str(a, cell_of(s, rec, COLUMN_SECTION)),
				.type = arena_strndup(a, type.p ? type.p : "", type.n),
				.text = arena_str(a, cell_of(s, rec, COLUMN_RULE_TEXT)),
				.speedup_type = ""};
	struct str speedup = cell_of(s, rec, COLUMN_SPEEDUP_TYPE);
	if (speedup.n && str_f64(cell_of(s, rec, COLUMN_SPEEDUP), &rule.speedup_pct))
		rule.speedup_type = arena_strndup(a, speedup.p, speedup.n);
	res->rules = grown(a, res->rules, res->n_rules, sizeof(rule));
	res->rules[res->n_rules++] = rule;
}

static bool take_details(struct sheet *s, const struct record *rec, struct err *e)
{
	struct ncu_report *r = s->r;
	struct arena *a = &r->arena;
	struct ncu_result *res = details_result(s, rec);
	struct str label = cell_of(s, rec, COLUMN_METRIC), unit = cell_of(s, rec, COLUMN_UNIT);
	if (!label.n) {
		if (cell_of(s, rec, COLUMN_RULE).n)
			take_rule(s, rec, res);
		return true;
	}
	struct unit u = {"", 1.0};
	struct str name = name_of_row(label, unit_parse(&u, unit) ? u.base : "?");
	if (!take_unit(s, rec, name, unit, &u, e))
		return false;
	struct ncu_row row = {.section = arena_str(a, cell_of(s, rec, COLUMN_SECTION)),
			      .label = arena_str(a, label),
			      .unit = arena_str(a, unit),
			      .value = arena_str(a, cell_of(s, rec, COLUMN_VALUE)),
			      .metric = arena_str(a, name)};
	if (!cell_of(s, rec, COLUMN_ITEM).n) { /* breakdowns and charts of --print-details all are not header rows */
		res->rows = grown(a, res->rows, res->n_rows, sizeof(row));
		res->rows[res->n_rows++] = row;
	}
	if (!name.n)
		return true;
	struct ncu_metric m = {.name = intern_name(s, name)};
	for (size_t i = 0; i < res->n_metrics; i++) {
		if (res->metrics[i].name == m.name)
			return true;
	}
	r->units[m.name] = arena_strdup(a, u.base);
	if (!value_of(s, rec, &m, row.value, u.factor, e))
		return false;
	res->metrics = grown(a, res->metrics, res->n_metrics, sizeof(m));
	res->metrics[res->n_metrics++] = m;
	return true;
}

static bool take_row(struct sheet *s, const struct record *rec, struct err *e)
{
	uint32_t id;
	if (str_is(rec->cells[0], "ID"))
		return take_header(s, rec, e);
	if (s->wants_units && !rec->cells[0].n && rec->n == s->n_columns)
		return take_units(s, rec, e);
	if (!u32_of(rec->cells[0], &id)) /* a line of the program that happens to begin with a quote */
		return true;
	size_t least = s->is_details ? s->at[COLUMN_VALUE] + 1 : s->n_columns;
	if (rec->n < least && s->is_details && !s->is_cut) /* a table of its own inside --print-details all */
		return true;
	if (rec->n < least || rec->n > s->n_columns) {
		s->r->damage = (struct ncu_damage){.is_damaged = true, .offset = rec->offset};
		snprintf(s->r->damage.reason, sizeof(s->r->damage.reason), "a row of %zu cells under a header of %zu",
			 rec->n, s->n_columns);
		return true;
	}
	return s->is_details ? take_details(s, rec, e) : take_raw(s, rec, e);
}

static void skip_line(struct str text, size_t *at)
{
	const char *end = memchr(text.p + *at, '\n', text.n - *at);
	*at = end ? (size_t)(end - text.p) + 1 : text.n;
}

static bool read_rows(struct sheet *s, struct err *e)
{
	struct ncu_report *r = s->r;
	struct str text = r->bytes;
	struct record rec = {0};
	size_t at = 0;
	while (at < text.n && !r->damage.is_damaged) {
		struct arena_mark mark = arena_mark(&s->scratch);
		bool is_row = text.p[at] == '"' && (s->has_header || str_starts(str_sub(text, at, 5), "\"ID\","));
		if (!is_row) {
			skip_line(text, &at);
			continue;
		}
		rec = (struct record){0};
		if (!record_take(&rec, &s->scratch, text, &at)) {
			r->damage = (struct ncu_damage){
				.is_damaged = true, .offset = at, .reason = "the file ends inside a row"};
			break;
		}
		s->is_cut = text.p[at - 1] != '\n';
		bool ok = take_row(s, &rec, e);
		arena_reset(&s->scratch, mark);
		if (!ok)
			return false;
	}
	return true;
}

bool csv_read(struct ncu_report *r, struct err *e)
{
	struct sheet s = {.r = r};
	arena_init(&s.scratch);
	map_init(&s.processes, &r->arena);
	map_init(&s.results, &r->arena);
	bool ok = read_rows(&s, e);
	arena_release(&s.scratch);
	if (!ok)
		return false;
	r->format = s.is_details ? NCU_CSV_DETAILS : NCU_CSV_RAW;
	for (size_t i = 0; i < r->n_results && s.is_details; i++) {
		if (r->results[i].n_metrics)
			qsort(r->results[i].metrics, r->results[i].n_metrics, sizeof(struct ncu_metric), by_name);
	}
	if (!r->n_results && r->damage.is_damaged)
		return err_set(e, ERR_INPUT, "%s: offset %zu: %s; no whole row stands before it", r->path.p,
			       r->damage.offset, r->damage.reason);
	return true;
}
