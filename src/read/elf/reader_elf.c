/* Binaries as `assay read` shows them.
 * In: a cubin, fatbin, PTX text or host ELF file.
 * Out: sheets of kernels, images, exported functions; facts; JSON.
 * Never: disassembles. */
#include "read/elf/reader_elf.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "facts/tool.h"
#include "read/elf/elf.h"

struct opened {
	struct arena a;
	struct file_map map;
	struct elf_file f;
};

static bool accepts(struct str head, const char *path)
{
	(void)path;
	return elf_is_binary(head);
}

static void close_report(void *report)
{
	struct opened *r = report;
	file_unmap(&r->map);
	arena_release(&r->a);
	free(r);
}

static void *open_report(const char *path, struct err *e)
{
	struct opened *r = calloc(1, sizeof *r);
	if (!r)
		BUG("out of memory");
	arena_init(&r->a);
	if (file_map(&r->map, path, e) && elf_read(&r->f, &r->a, path, (struct str){r->map.p, r->map.n}, e))
		return r;
	close_report(r);
	return NULL;
}

/* True and what it is when the image is of something that our tests do not cover. */
static bool untested(const struct elf_image *image, char *what, size_t cap)
{
	char version[32];
	snprintf(version, sizeof version, "%u.%u", image->toolkit / 10, image->toolkit % 10);
	if (image->toolkit && !tool_is_tested("cuda-toolkit", str_from(version))) {
		snprintf(what, cap, "CUDA toolkit %s", version);
		return true;
	}
	snprintf(version, sizeof version, "%u", image->abi);
	if (image->abi && !tool_is_tested("cubin-abi", str_from(version))) {
		snprintf(what, cap, "cubin ABI %s", version);
		return true;
	}
	if (image->ptx_version.n && !tool_is_tested("ptx", image->ptx_version)) {
		snprintf(what, cap, "PTX %.*s", STR_ARG(str_sub(image->ptx_version, 0, 32)));
		return true;
	}
	snprintf(what, cap, "the architecture %.*s", STR_ARG(image->arch));
	return !tool_covers_arch(image->arch);
}

static void damage_of(const void *report, struct reader_damage *out)
{
	const struct opened *r = report;
	*out = (struct reader_damage){0};
	for (size_t i = 0; i < r->f.n_images && !out->is_unverified; i++)
		out->is_unverified = untested(&r->f.images[i], out->version, sizeof out->version);
	if (r->f.problem.n)
		snprintf(out->text, sizeof out->text, "%.*s; %zu images before it are kept", STR_ARG(r->f.problem),
			 r->f.n_images);
}

enum { FIRST_RESOURCE = 3 };

/* image, kernel, entry, then the table of resources */
static const struct sheet_column kernel_columns[] = {
	{"arch", "arch", "", SHEET_TEXT},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"entry", "entry", "", SHEET_TEXT | SHEET_HIDDEN},
	{"registers", "regs", "register/thread", 0},
	{"barriers", "barriers", "barrier/block", 0},
	{"static_shared_bytes", "shared", "byte", 0},
	{"stack_frame_bytes", "stack", "byte", 0},
	{"cumulative_stack_bytes", "stack total", "byte", SHEET_HIDDEN},
	{"local_bytes", "local", "byte", SHEET_HIDDEN},
	{"constant0_bytes", "constant 0", "byte", SHEET_HIDDEN},
	{"parameter_bytes", "parameters", "byte", SHEET_HIDDEN},
	{"max_threads_per_block", "max threads", "thread/block", 0},
	{"min_blocks_per_sm", "min blocks", "block/SM", SHEET_HIDDEN},
	{"cluster_blocks", "cluster", "block/cluster", SHEET_HIDDEN},
	{"code_bytes", "code", "byte", 0},
};
static const enum resource kernel_resources[] = {
	RESOURCE_REGISTERS,   RESOURCE_BARRIERS,   RESOURCE_SHARED,  RESOURCE_STACK,
	RESOURCE_STACK_TOTAL, RESOURCE_LOCAL,      RESOURCE_CONST0,  RESOURCE_PARAMETERS,
	RESOURCE_MAX_THREADS, RESOURCE_MIN_BLOCKS, RESOURCE_CLUSTER, RESOURCE_CODE,
};
_Static_assert(COUNT_OF(kernel_columns) == FIRST_RESOURCE + COUNT_OF(kernel_resources), "one column a resource");

static void kernel_row(struct sheet *s, const struct elf_image *image, const struct elf_kernel *k)
{
	struct sheet_cell *c = sheet_row(s);
	sheet_put_text(&c[0], image->arch);
	sheet_put_text(&c[1], k->name);
	sheet_put_text(&c[2], k->is_entry ? STR("yes") : STR("no"));
	for (size_t i = 0; i < COUNT_OF(kernel_resources); i++)
		if (resources_has(&k->r, kernel_resources[i]))
			sheet_put(&c[FIRST_RESOURCE + i], (double)k->r.v[kernel_resources[i]]);
}

static const struct sheet_column image_columns[] = {
	{"kind", "kind", "", SHEET_TEXT},
	{"arch", "arch", "", SHEET_TEXT},
	{"bytes", "bytes", "byte", 0},
	{"kernels", "kernels", "", 0},
	{"compression", "stored", "", SHEET_TEXT},
	{"lines", "line table", "", SHEET_TEXT},
	{"ptx_version", "PTX", "", SHEET_TEXT | SHEET_HIDDEN},
	{"tool", "tool", "", SHEET_TEXT | SHEET_HIDDEN},
	{"problem", "problem", "", SHEET_TEXT},
	{"sha256", "sha256", "", SHEET_TEXT | SHEET_HIDDEN},
	{"offset", "offset", "byte", SHEET_HIDDEN},
};

static void image_row(struct sheet *s, const struct elf_image *i)
{
	struct sheet_cell *c = sheet_row(s);
	sheet_put_text(&c[0], str_from(elf_image_kind_name(i->kind)));
	sheet_put_text(&c[1], i->arch);
	sheet_put(&c[2], (double)i->bytes);
	sheet_put(&c[3], (double)i->n_kernels);
	sheet_put_text(&c[4], i->compression);
	sheet_put_text(&c[5], i->flags & ELF_LINE_TABLE ? STR("yes") : STR("no"));
	sheet_put_text(&c[6], i->ptx_version);
	sheet_put_text(&c[7], i->tool);
	sheet_put_text(&c[8], i->problem);
	sheet_put_text(&c[9], str_from(i->sha256));
	sheet_put(&c[10], (double)i->offset);
}

static const struct sheet_column export_columns[] = {{"function", "function", "", SHEET_TEXT | SHEET_KEY}};

static struct sheet *sheets_of(void *report, const char *table, struct arena *a, size_t *n)
{
	const struct opened *r = report;
	struct sheet *s = ARENA_ARRAY(a, 3, struct sheet);
	(void)table;
	sheet_init(&s[0], a, "kernels", kernel_columns, COUNT_OF(kernel_columns));
	sheet_init(&s[1], a, "images", image_columns, COUNT_OF(image_columns));
	sheet_init(&s[2], a, "exports", export_columns, COUNT_OF(export_columns));
	s[0].title = "Kernels";
	s[1].title = "Device images";
	s[2].title = "Exported functions";
	s[0].is_main = s[1].is_main = true;
	s[0].note = r->f.n_images ? "static resources; spills are in the compiler's log, not in the binary"
				  : "no device code";
	for (size_t i = 0; i < r->f.n_images; i++) {
		image_row(&s[1], &r->f.images[i]);
		for (size_t k = 0; k < r->f.images[i].n_kernels; k++)
			kernel_row(&s[0], &r->f.images[i], &r->f.images[i].kernels[k]);
	}
	for (size_t i = 0; i < r->f.n_exports; i++)
		sheet_put_text(sheet_row(&s[2]), r->f.exports[i]);
	*n = 3;
	return s;
}

static void facts_of(void *report, struct fact_set *out, const struct reader_json_options *o)
{
	const struct opened *r = report;
	(void)o;
	struct json *unmodeled = json_array(out->arena);
	for (size_t i = 0; i < r->f.n_images; i++) {
		const struct elf_image *image = &r->f.images[i];
		for (size_t k = 0; k < image->unmodeled.n; k++)
			json_push_str(unmodeled, image->unmodeled.entries[k].key);
		for (size_t k = 0; k < image->n_kernels; k++) {
			for (unsigned v = 0; v < RESOURCE_COUNT; v++) {
				if (!resources_has(&image->kernels[k].r, (enum resource)v))
					continue;
				const char *id = arena_printf(out->arena, "binary.%s", resource_name((enum resource)v));
				struct fact *f =
					fact_add(out, str_from(id), resource_unit((enum resource)v), FACT_KERNEL);
				f->type = FACT_COUNT;
				f->count = image->kernels[k].r.v[v];
				f->subject = image->kernels[k].name;
				f->i_subject = (uint32_t)i;
				f->source = image->arch;
			}
		}
	}
	if (unmodeled->n)
		out->unmodeled = unmodeled;
}

static void json_of(void *report, struct json *out, const struct reader_json_options *o)
{
	const struct opened *r = report;
	(void)o;
	json_set(out, "binary", elf_json(&r->f, out->arena));
}

const struct reader reader_elf = {
	.name = "elf",
	.title = "binary (cubin, fatbin, PTX, shared object, object file)",
	.accepts = accepts,
	.open = open_report,
	.close = close_report,
	.damage = damage_of,
	.sheets = sheets_of,
	.facts = facts_of,
	.json = json_of,
};
