/* Nsight Systems exports.
 * In: an SQLite export of any schema version. Out: one observation a kernel row; sums a kernel beside them.
 * Order is that of the table.
 * Never: leaves a row out because its name is missing. */
#include "inspect/collect.h"
#include "inspect/material.h"
#include "protocol/shape.h"
#include "read/nsys/nsys.h"

#define DIALECT_325 "nsys-sqlite-3.25-v1"
#define DIALECTS DIALECT_325 "|nsys-sqlite-v1"
#define TABLE "CUPTI_ACTIVITY_KIND_KERNEL"
#define MAX_ROWS UINT64_C(2000000)
#define MAX_UNMODELED 128

enum { START, END, DEMANGLED, SHORT, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"start", "end", "demangledName", "shortName"};

struct kernel {
	struct json *scope;
	uint64_t n;
	double sum, least, most;
};
struct taking {
	struct inspection *i;
	struct arena *a;
	struct nsys_report db;
	struct map kernels; /* by the bytes of the name's id */
	struct json *list, *id, *unit, *aggregation, *source, *tool;
	uint64_t n_rows, n_nameless;
};

static struct kernel *kernel_of(struct taking *t, int64_t name, bool has_name)
{
	struct str key = {(const char *)&name, has_name ? sizeof(name) : 0};
	struct map_entry *at = map_intern(&t->kernels, key, NULL);
	if (!at->value) {
		struct kernel *k = ARENA_NEW(t->a, struct kernel);
		k->scope = json_array(t->a);
		json_push_str(k->scope, STR("kernel"));
		if (has_name)
			json_push_str(k->scope, nsys_string(&t->db, name, t->a));
		at->value = k;
	}
	return at->value;
}

static bool take_row(struct taking *t, struct nsys_cursor *c, struct err *e)
{
	int64_t start, end, name = 0;
	protocol_step(t->i->p, "invalid_metric_value");
	if (!nsys_int(c, START, &start) || !nsys_int(c, END, &end) || !nsys_duration(&t->db, start, end))
		return err_set(e, ERR_INPUT, "table %s, row %llu: its start and end give no duration", c->table,
			       (unsigned long long)t->n_rows);
	protocol_step(t->i->p, "row_limit_exceeded");
	if (++t->n_rows > MAX_ROWS)
		return err_set(e, ERR_INPUT, "table %s: more than %llu rows; export a shorter window", c->table,
			       (unsigned long long)MAX_ROWS);
	bool has_name = nsys_int(c, DEMANGLED, &name) || nsys_int(c, SHORT, &name);
	struct kernel *k = kernel_of(t, name, has_name);
	double ns = (double)(end - start);
	struct json *o = json_object(t->a);
	json_set(o, "semantic_id", t->id);
	json_set_i64(o, "value", end - start);
	json_set(o, "unit", t->unit);
	json_set(o, "scope", k->scope);
	json_set(o, "aggregation", t->aggregation);
	json_set(o, "source", t->source);
	json_set(o, "tool", t->tool);
	json_push(t->list, o);
	t->n_nameless += !has_name;
	k->least = k->n == 0 || ns < k->least ? ns : k->least;
	k->most = k->n == 0 || ns > k->most ? ns : k->most;
	k->sum += ns;
	k->n++;
	return true;
}

static bool take_rows(struct taking *t, struct err *e)
{
	struct nsys_query q = {TABLE, columns, N_COLUMNS, 2};
	struct nsys_cursor c;
	const char *table = nsys_table(&t->db, TABLE);
	protocol_step(t->i->p, "missing_required_table");
	if (!table)
		return err_set(e, ERR_INPUT, "%s: there is no table " TABLE ": no kernel was traced", t->db.path.p);
	t->source = json_object(t->a);
	json_set_cstr(t->source, "table", table);
	json_set_cstr(t->source, "start_column", "start");
	json_set_cstr(t->source, "end_column", "end");
	json_set_cstr(t->source, "name_column", "demangledName");
	protocol_step(t->i->p, "missing_required_column");
	if (!nsys_scan(&c, &t->db, &q, e))
		return false;
	if (!c.has[DEMANGLED])
		json_set_cstr(t->source, "name_column", c.has[SHORT] ? "shortName" : NULL);
	bool ok = true;
	while (ok && nsys_next(&c))
		ok = take_row(t, &c, e);
	nsys_close(&c);
	if (ok && t->db.damage.is_damaged) {
		protocol_step(t->i->p, "unsupported_report");
		return err_set(e, ERR_INPUT, "%s: %s", t->db.path.p, t->db.damage.reason);
	}
	return ok;
}

static bool check_schema(struct taking *t, struct err *e)
{
	struct str dialect = json_str(json_get(t->i->frozen, "material"), "dialect", STR(""));
	protocol_step(t->i->p, "unsupported_report");
	return !str_is(dialect, DIALECT_325) || str_starts(t->db.schema_version, "3.25.") ||
	       err_set(e, ERR_INPUT,
		       "the export's schema is %s, its material says " DIALECT_325 "; nsys-sqlite-v1 is "
		       "the dialect of any schema",
		       t->db.schema_version.n ? t->db.schema_version.p : "not named");
}

static void put_unmodeled(struct json *result, const struct taking *t)
{
	struct json *j = json_set_object(result, "unmodeled"), *tables = json_set_array(j, "tables"),
		    *names = json_set_array(j, "kernel_columns");
	for (size_t i = 0; i < t->db.tables.n && tables->n < MAX_UNMODELED; i++) {
		struct str name = t->db.tables.entries[i].key;
		if (!str_starts(name, TABLE) && !str_is(name, "StringIds") && !str_is(name, "META_DATA_EXPORT"))
			json_push_str(tables, name);
	}
	for (size_t i = 0; i < t->db.unread.n && names->n < MAX_UNMODELED; i++) {
		struct str name = t->db.unread.entries[i].key;
		if (!t->db.unread.entries[i].value && str_starts(name, TABLE))
			json_push_str(names, str_sub(name, str_find_char(name, '.') + 1, SIZE_MAX));
	}
}

static struct json *kernels_json(const struct taking *t)
{
	struct json *list = json_array(t->a);
	for (size_t i = 0; i < t->kernels.n; i++) {
		const struct kernel *k = t->kernels.entries[i].value;
		const struct json *name = json_at(k->scope, 1);
		struct json *j = json_object(t->a);
		if (name)
			json_set_str(j, "name", name->text);
		else
			json_set_null(j, "name");
		json_set_u64(j, "rows", k->n);
		json_set_f64(j, "total_ns", k->sum);
		json_set_f64(j, "mean_ns", k->sum / (double)k->n);
		json_set_f64(j, "least_ns", k->least);
		json_set_f64(j, "most_ns", k->most);
		json_push(list, j);
	}
	return list;
}

static bool read_export(struct json *result, struct inspection *i, struct err *e)
{
	struct taking t = {.i = i, .a = i->p->arena};
	struct material_report r;
	if (!material_open(&r, i, "nsys", e))
		return false;
	map_init(&t.kernels, t.a);
	t.list = json_set_array(result, "observations");
	t.id = json_new_str(t.a, STR("kernel.duration"));
	t.unit = json_new_str(t.a, STR("ns"));
	t.aggregation = json_new_str(t.a, STR("single_kernel_row"));
	t.tool = r.tool;
	protocol_step(i->p, "unsupported_report");
	bool ok = nsys_open(&t.db, r.path, e) && check_schema(&t, e) && take_rows(&t, e);
	if (ok) {
		json_set(result, "provenance", material_provenance(i, &r));
		json_push_str(json_get(json_get(result, "provenance"), "metrics"), STR("kernel.duration"));
		put_unmodeled(result, &t);
		json_set(r.assay, "schema_version", json_new_str(t.a, t.db.schema_version));
		json_set_u64(r.assay, "rows_without_name", t.n_nameless);
		json_set(r.assay, "kernels", kernels_json(&t));
		json_set(result, "assay", r.assay);
	}
	nsys_release(&t.db);
	return ok;
}

static bool freeze_export(struct inspection *i, struct err *e)
{
	return material_freeze_report(i, "nsys", DIALECTS, e);
}

static const char **wrap_call(struct inspection *i, const char *tool, const char *out)
{
	static const char *const words[] = {"profile",         "--trace=cuda,nvtx,osrt", "--sample=none",
					    "--cpuctxsw=none", "--stats=false",          "--wait=all",
					    "--output"};
	const char **argv = ARENA_ARRAY(i->p->arena, COUNT_OF(words) + 3, const char *);
	argv[0] = tool;
	memcpy(argv + 1, words, sizeof(words));
	argv[COUNT_OF(words) + 1] = out;
	return argv;
}

static const char *export_sqlite(struct inspection *i, const char *tool, const char *report, struct json *receipts,
				 struct err *e)
{
	struct arena *a = i->p->arena;
	struct buf said;
	const char *out = arena_printf(a, "%.*s.sqlite", (int)(strlen(report) - strlen(".nsys-rep")), report);
	const char *argv[] = {tool, "export", "--type", "sqlite", "--output", out, report, NULL};
	buf_init(&said);
	protocol_step(i->p, "nsys_command_failed");
	bool ok = collect_command(i, argv, receipts, &said, e);
	buf_release(&said);
	return ok ? out : NULL;
}

static const struct collecting collecting = {.capability = "nsys_wrap_v1",
					     .tool = "nsys",
					     .operation = "profile_nsys_collect",
					     .kind = "nsys_collect",
					     .dialect = "nsys-sqlite-v1",
					     .wrap = wrap_call,
					     .export_report = export_sqlite,
					     .extension = ".nsys-rep"};

const struct family family_nsys = {
	.name = "nsys",
	.format = PROTOCOL("nsys-input-v1"),
	.code = "invalid_nsys_input",
	.contract = PROTOCOL("profiler-result-v1"),
	.record_type = "profiler_result",
	.members = "report_ref:o",
	.freeze = freeze_export,
	.read = read_export,
	.collecting = &collecting,
	.collect_members = "",
};
