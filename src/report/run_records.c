/* The run page's last sections: environment, commands, ids of records.
 * In: the records of a run. Out: sections.
 * An id names bytes in the store: `assay verify` hashes them again.
 * Never: shows a fact without the record that it comes from. */
#include <math.h>

#include "base/file.h"
#include "report/run_inside.h"

void page_pair(const struct page *p, const char *key, struct str value)
{
	html_row(p->out);
	html_cell(p->out, str_from(key), NULL);
	html_cell(p->out, value, NULL);
	html_row_end(p->out);
}

/* A value of any plain kind as text; false for null, objects and lists. */
static bool plain_text(const struct page *p, const struct json *v, struct str *out)
{
	if (v->type == JSON_STRING)
		*out = v->text;
	else if (v->type == JSON_BOOL)
		*out = str_from(v->boolean ? "yes" : "no");
	else if (json_is_number(v))
		*out = str_from(page_number(p, v->real));
	else
		return false;
	return true;
}

void page_members(const struct page *p, const char *prefix, const struct json *x)
{
	for (size_t i = 0; x && x->type == JSON_OBJECT && i < x->n; i++) {
		struct str value;
		if (plain_text(p, x->members[i].value, &value))
			page_pair(p, arena_printf(p->arena, "%s%.*s", prefix, STR_ARG(x->members[i].key)), value);
	}
}

static void put_range(const struct page *p, const char *name, const struct json *r)
{
	if (!json_is_number(json_get(r, "min")))
		return;
	page_pair(p, name,
		  str_from(arena_printf(p->arena, "%s to %s", page_number(p, json_f64(r, "min", NAN)),
					page_number(p, json_f64(r, "max", NAN)))));
}

static void put_sandbox(const struct page *p, const struct json *layers)
{
	if (!layers || layers->type != JSON_ARRAY)
		return;
	html_table(p->out, "Sandbox of the worker", "layer|state|covers or reason");
	for (size_t i = 0; i < layers->n; i++) {
		const struct json *x = layers->items[i];
		struct str reason = json_str(x, "reason", STR(""));
		html_row(p->out);
		html_cell(p->out, json_str(x, "layer", STR("?")), NULL);
		html_cell(p->out, json_str(x, "state", STR("?")), NULL);
		html_cell(p->out, reason.n ? reason : json_str(x, "covers", STR("")), NULL);
		html_row_end(p->out);
	}
	html_table_end(p->out);
}

void page_environment(const struct page *p)
{
	static const char *const ranges[] = {"sm_mhz", "memory_mhz", "temperature_c", "power_w", "load1"};
	size_t which = p->best > 0 ? (size_t)p->best : 0;
	const struct json *b = p->n ? p->bench[which] : NULL;
	const struct json *t = json_get(json_get(b, "telemetry") ? b : p->manifest, "telemetry");
	html_table(p->out,
		   arena_printf(p->arena, "Machine, tools and what was held still (from the record of %s)",
				page_label(p, which)),
		   "fact|value");
	page_members(p, "device ", json_get(b, "device"));
	page_members(p, "compiler ", json_get(b, "build"));
	page_members(p, "frozen ", json_get(p->manifest, "frozen"));
	page_members(p, "frozen dims ", json_path(p->manifest, "frozen.dims"));
	for (size_t i = 0; i < COUNT_OF(ranges); i++)
		put_range(p, arena_printf(p->arena, "seen meanwhile %s", ranges[i]), json_get(t, ranges[i]));
	page_members(p, "seen meanwhile ", json_get(t, "timed_calls"));
	page_members(p, "performance ", json_get(b, "performance"));
	page_members(p, "assay ", json_get(p->manifest, "tool"));
	page_pair(p, "started", json_str(p->manifest, "created_at", STR("?")));
	if (!p->file) {
		page_pair(p, "last written", json_str(p->manifest, "updated_at", STR("?")));
		page_pair(p, "ended", json_str(json_get(p->manifest, "ended"), "evidence", STR("not yet")));
	}
	html_table_end(p->out);
	put_sandbox(p, json_get(b, "sandbox"));
	struct str preflight;
	struct err absent;
	if (file_read(p->arena, &preflight, path_join(p->arena, p->folder, "preflight_check.md"), PAGE_MOST_TEXT,
		      &absent)) {
		buf_puts(p->out, "<details><summary>Preflight</summary><pre>");
		html_text(p->out, preflight);
		buf_puts(p->out, "</pre></details>\n");
	}
}

static void put_record(const struct page *p, const char *version, const char *what, struct str id)
{
	if (!id.n)
		return;
	html_row(p->out);
	html_cell(p->out, str_from(version), NULL);
	html_cell(p->out, str_from(what), NULL);
	buf_puts(p->out, "<td><code>");
	html_text(p->out, id);
	buf_puts(p->out, "</code></td>");
	html_row_end(p->out);
}

static void put_version_records(const struct page *p, size_t i)
{
	static const char *const digests[] = {"kernel_sha256", "binary_sha256"};
	const struct json *it = p->versions->items[i], *b = p->bench[i];
	const char *version = page_label(p, i);
	put_record(p, version, "bench", json_str(it, "record", STR("")));
	put_record(p, version, "comparison", json_str(json_get(it, "comparison"), "record", STR("")));
	put_record(p, version, "trial: raw samples", json_str(b, "trial", STR("")));
	put_record(p, version, "telemetry", json_str(json_get(b, "telemetry"), "samples", STR("")));
	for (size_t k = 0; k < COUNT_OF(digests); k++)
		put_record(p, version, k ? "binary" : "source", json_str(it, digests[k], STR("")));
}

static void put_command(const struct page *p, const char *version, const char *what, struct str command)
{
	put_record(p, version, what, command);
}

void page_records(const struct page *p)
{
	const struct json *confirmed = json_get(p->manifest, "confirmations");
	html_table(p->out, "Ids of records and digests of objects in the store", "version|what|id");
	put_record(p, "all", "record", json_str(p->manifest, "record", STR("")));
	put_record(p, "all", "trial: raw samples", json_str(p->manifest, "trial", STR("")));
	put_record(p, "all", "telemetry", json_str(json_get(p->manifest, "telemetry"), "samples", STR("")));
	for (size_t i = 0; i < p->n; i++)
		put_version_records(p, i);
	for (size_t i = 0; confirmed && confirmed->type == JSON_ARRAY && i < confirmed->n; i++)
		put_record(p, arena_printf(p->arena, "v%lld", (long long)json_i64(confirmed->items[i], "candidate", 0)),
			   "confirmation", json_str(confirmed->items[i], "record", STR("")));
	html_table_end(p->out);
	html_table(p->out, "Every command", "version|step|command");
	put_command(p, p->file ? "all" : "run", p->file ? "measurement" : "run",
		    json_str(p->manifest, "command", STR("")));
	for (size_t i = 0; i < p->n; i++) {
		const struct json *it = p->versions->items[i];
		const char *version = page_label(p, i);
		put_command(p, version, "build", json_str(json_get(p->bench[i], "build"), "command", STR("")));
		put_command(p, version, "targeted report", json_str(it, "targeted_command", STR("")));
		put_command(p, version, "full report", json_str(it, "full_command", STR("")));
	}
	html_table_end(p->out);
	const char *made =
		p->file ? arena_printf(p->arena, "Made from %s", p->file)
			: arena_printf(p->arena, "Made from %s/run_manifest.json and the records that it names",
				       p->folder);
	page_note(p, arena_printf(p->arena, "%s, by assay %s.", made,
				  page_text(p, json_get(p->manifest, "tool"), "version", "?")));
}
