/* Compiler logs as `assay read` shows them.
 * In: the output of nvcc or ptxas.
 * Out: sheets of kernels and messages, facts, JSON.
 * Never: takes any text for a log; it must hold a line that only a compiler prints. */
#include "read/ptxas/reader_ptxas.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "facts/tool.h"
#include "read/ptxas/ptxas.h"

#define MAX_LOG ((size_t)256 << 20)

struct opened {
	struct arena a;
	struct ptxas_log log;
};

static bool accepts(struct str head, const char *path)
{
	struct arena a;
	struct ptxas_log log;
	(void)path;
	if (str_find_char(head, 0) != SIZE_MAX)
		return false;
	arena_init(&a);
	ptxas_read(&log, &a, str_sub(head, 0, 65536));
	bool ok = log.n_kernels || log.n_messages;
	arena_release(&a);
	return ok;
}

static void close_report(void *report)
{
	struct opened *r = report;
	arena_release(&r->a);
	free(r);
}

static void *open_report(const char *path, struct err *e)
{
	struct str text;
	struct opened *r = calloc(1, sizeof *r);
	if (!r)
		BUG("out of memory");
	arena_init(&r->a);
	if (file_read(&r->a, &text, path, MAX_LOG, e)) {
		ptxas_read(&r->log, &r->a, text);
		if (!r->log.problem.n)
			return r;
		(void)err_set(e, ERR_UNSUPPORTED, "%s: %.*s; this form of the log is not known", path,
			      STR_ARG(r->log.problem));
	}
	close_report(r);
	return NULL;
}

static void damage_of(const void *report, struct reader_damage *out)
{
	const struct opened *r = report;
	*out = (struct reader_damage){0};
	for (size_t i = 0; i < r->log.n_kernels && !out->is_unverified; i++) {
		out->is_unverified = !tool_covers_arch(r->log.kernels[i].arch);
		snprintf(out->version, sizeof out->version, "the architecture %.*s", STR_ARG(r->log.kernels[i].arch));
	}
}

enum { FIRST_RESOURCE = 3 };

static const struct sheet_column kernel_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"arch", "arch", "", SHEET_TEXT},
	{"entry", "entry", "", SHEET_TEXT | SHEET_HIDDEN},
	{"registers", "regs", "register/thread", 0},
	{"spill_store_bytes", "spill stores", "byte", 0},
	{"spill_load_bytes", "spill loads", "byte", 0},
	{"stack_frame_bytes", "stack", "byte", 0},
	{"static_shared_bytes", "shared", "byte", 0},
	{"barriers", "barriers", "barrier/block", 0},
	{"constant0_bytes", "constant 0", "byte", SHEET_HIDDEN},
	{"compile_time_ns", "compile time", "ns", SHEET_SHARE},
};
static const enum resource kernel_resources[] = {
	RESOURCE_REGISTERS, RESOURCE_SPILL_STORES, RESOURCE_SPILL_LOADS, RESOURCE_STACK,
	RESOURCE_SHARED,    RESOURCE_BARRIERS,     RESOURCE_CONST0,      RESOURCE_COMPILE_NS,
};
_Static_assert(COUNT_OF(kernel_columns) == FIRST_RESOURCE + COUNT_OF(kernel_resources), "one column a resource");

static void kernel_row(struct sheet *s, const struct ptxas_kernel *k)
{
	struct sheet_cell *c = sheet_row(s);
	sheet_put_text(&c[0], k->name);
	sheet_put_text(&c[1], k->arch);
	sheet_put_text(&c[2], k->is_entry ? STR("yes") : STR("no"));
	for (size_t i = 0; i < COUNT_OF(kernel_resources); i++)
		if (resources_has(&k->r, kernel_resources[i]))
			sheet_put(&c[FIRST_RESOURCE + i], (double)k->r.v[kernel_resources[i]]);
}

static const struct sheet_column message_columns[] = {
	{"severity", "severity", "", SHEET_TEXT},
	{"file", "file", "", SHEET_TEXT},
	{"line", "line", "", 0},
	{"text", "text", "", SHEET_TEXT | SHEET_KEY},
	{"code", "code", "", SHEET_TEXT | SHEET_HIDDEN},
	{"tool", "tool", "", SHEET_TEXT | SHEET_HIDDEN},
	{"column", "column", "", SHEET_HIDDEN},
};

static void message_row(struct sheet *s, const struct ptxas_message *m)
{
	struct sheet_cell *c = sheet_row(s);
	sheet_put_text(&c[0], str_from(ptxas_severity_name(m->severity)));
	sheet_put_text(&c[1], m->file);
	if (m->line)
		sheet_put(&c[2], (double)m->line);
	sheet_put_text(&c[3], m->text);
	sheet_put_text(&c[4], m->code);
	sheet_put_text(&c[5], m->tool);
	if (m->column)
		sheet_put(&c[6], (double)m->column);
}

static struct sheet *sheets_of(void *report, const char *table, struct arena *a, size_t *n)
{
	const struct opened *r = report;
	struct sheet *s = ARENA_ARRAY(a, 2, struct sheet);
	(void)table;
	sheet_init(&s[0], a, "kernels", kernel_columns, COUNT_OF(kernel_columns));
	sheet_init(&s[1], a, "messages", message_columns, COUNT_OF(message_columns));
	s[0].title = "Kernels as compiled";
	s[1].title = "Messages";
	s[0].is_main = s[1].is_main = true;
	for (size_t i = 0; i < r->log.n_kernels; i++)
		kernel_row(&s[0], &r->log.kernels[i]);
	for (size_t i = 0; i < r->log.n_messages; i++)
		message_row(&s[1], &r->log.messages[i]);
	s[1].note = arena_printf(a, "%zu errors, %zu warnings", r->log.n_errors, r->log.n_warnings);
	*n = 2;
	return s;
}

static void facts_of(void *report, struct fact_set *out, const struct reader_json_options *o)
{
	const struct opened *r = report;
	(void)o;
	out->unmodeled = r->log.unmodeled.n ? json_array(out->arena) : NULL;
	for (size_t i = 0; i < r->log.unmodeled.n; i++)
		json_push_str(out->unmodeled, r->log.unmodeled.entries[i].key);
	for (size_t i = 0; i < r->log.n_kernels; i++) {
		for (unsigned v = 0; v < RESOURCE_COUNT; v++) {
			if (!resources_has(&r->log.kernels[i].r, (enum resource)v))
				continue;
			const char *id = arena_printf(out->arena, "compiler.%s", resource_name((enum resource)v));
			struct fact *f = fact_add(out, str_from(id), resource_unit((enum resource)v), FACT_KERNEL);
			f->type = FACT_COUNT;
			f->count = r->log.kernels[i].r.v[v];
			f->subject = r->log.kernels[i].name;
			f->i_subject = (uint32_t)i;
			f->source = r->log.kernels[i].arch;
		}
	}
}

static void json_of(void *report, struct json *out, const struct reader_json_options *o)
{
	const struct opened *r = report;
	(void)o;
	json_set(out, "compiler", ptxas_json(&r->log, out->arena));
}

const struct reader reader_ptxas = {
	.name = "ptxas",
	.title = "compiler log (ptxas -v, nvcc, gcc, clang)",
	.accepts = accepts,
	.open = open_report,
	.close = close_report,
	.damage = damage_of,
	.sheets = sheets_of,
	.facts = facts_of,
	.json = json_of,
};
