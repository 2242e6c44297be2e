/* SASS facts as JSON.
 * In: a listing, a finding.
 * Out: JSON objects of docs/FORMATS.md.
 * Never leaves a count out: lists are cut, totals are kept. */
#include "read/sass/signature.h"

#include <stdlib.h>

struct access { /* loads and stores of one space and width */
	enum sass_class class_of;
	enum sass_space space;
	uint32_t width;
	uint64_t n;
};
#define MAX_ACCESSES 64

static size_t accesses(const struct sass_kernel *k, struct access *out)
{
	size_t n = 0;
	for (size_t i = 0; i < k->n_opcodes; i++) {
		const struct sass_opcode *o = &k->opcodes[i];
		if (o->space == SASS_NO_SPACE)
			continue;
		size_t j = 0;
		while (j < n &&
		       (out[j].class_of != o->class_of || out[j].space != o->space || out[j].width != o->width))
			j++;
		if (j == MAX_ACCESSES)
			continue;
		if (j == n)
			out[n++] = (struct access){o->class_of, o->space, o->width, 0};
		out[j].n += o->n;
	}
	return n;
}

static void accesses_json(const struct sass_kernel *k, struct json *list, struct arena *a)
{
	struct access v[MAX_ACCESSES];
	size_t n = accesses(k, v);
	for (size_t i = 0; i < n; i++) {
		struct json *j = json_object(a);
		json_set_cstr(j, "class", sass_class_name(v[i].class_of));
		json_set_cstr(j, "space", sass_space_name(v[i].space));
		if (v[i].width)
			json_set_u64(j, "bytes", v[i].width);
		json_set_u64(j, "n", v[i].n);
		json_push(list, j);
	}
}

static void site_json(const struct sass_listing *l, const struct sass_site *s, struct json *j)
{
	json_set_u64(j, "pc", s->pc);
	if (!s->line)
		return;
	json_set_u64(j, "line", s->line);
	if (s->file < l->n_files)
		json_set_str(j, "file", l->files[s->file]);
}

static void opcodes_json(const struct sass_kernel *k, struct json *list, struct arena *a)
{
	for (size_t i = 0; i < k->n_opcodes; i++) {
		struct json *j = json_object(a);
		json_set_str(j, "opcode", k->opcodes[i].name);
		json_set_u64(j, "n", k->opcodes[i].n);
		if (k->opcodes[i].flags & SASS_AS_MOVE)
			json_set_bool(j, "as_move", true);
		json_push(list, j);
	}
}

static struct json *kernel_json(const struct sass_listing *l, const struct sass_kernel *k, struct arena *a)
{
	struct json *j = json_object(a), *classes = json_set_object(j, "by_class");
	json_set_str(j, "name", k->name);
	if (k->arch.n)
		json_set_str(j, "arch", k->arch);
	json_set_u64(j, "instructions", k->n);
	json_set_u64(j, "local_memory_instructions", k->n_local);
	for (unsigned c = 0; c < SASS_CLASSES; c++)
		json_set_u64(classes, sass_class_name((enum sass_class)c), k->n_class[c]);
	accesses_json(k, json_set_array(j, "accesses"), a);
	opcodes_json(k, json_set_array(j, "opcodes"), a);
	struct json *loops = json_set_array(j, "loops"), *lines = json_set_array(j, "lines");
	for (size_t i = 0; i < k->n_loops; i++) {
		struct json *loop = json_object(a);
		json_set_u64(loop, "begin_pc", k->loops[i].begin);
		json_set_u64(loop, "end_pc", k->loops[i].end);
		if (k->loops[i].line)
			json_set_u64(loop, "line", k->loops[i].line);
		json_push(loops, loop);
	}
	for (size_t i = 0; i < k->n_lines; i++) {
		struct json *line = json_object(a);
		json_set_str(line, "file", l->files[k->lines[i].file]);
		json_set_u64(line, "line", k->lines[i].line);
		json_set_u64(line, "instructions", k->lines[i].n);
		json_push(lines, line);
	}
	return j;
}

struct json *sass_json(const struct sass_listing *l, struct arena *a)
{
	struct json *j = json_object(a), *kernels = json_set_array(j, "kernels");
	for (size_t i = 0; i < l->n_kernels; i++)
		json_push(kernels, kernel_json(l, &l->kernels[i], a));
	if (l->problem.n)
		json_set_str(j, "problem", l->problem);
	json_set_u64(j, "unread_rows", l->n_unread);
	if (l->binary_sha256[0])
		json_set_cstr(j, "binary_sha256", l->binary_sha256);
	return j;
}

struct json *sass_finding_json(const struct sass_finding *f, const struct sass_listing *l, struct arena *a)
{
	struct json *j = json_object(a), *list = json_set_array(j, "evidence");
	json_set_cstr(j, "mechanism", f->key);
	json_set_cstr(j, "verdict", sass_verdict_name(f->verdict));
	json_set_bool(j, "contradicts", f->contradicts);
	json_set_u64(j, "instructions", f->n_instructions);
	if (f->pattern)
		json_set_cstr(j, "pattern", f->pattern);
	if (f->note)
		json_set_cstr(j, "note", f->note);
	if (l->binary_sha256[0])
		json_set_cstr(j, "binary_sha256", l->binary_sha256);
	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct sass_evidence *e = &f->evidence[i];
		struct json *item = json_object(a), *sites = json_set_array(item, "sites");
		json_set_str(item, "kernel", e->kernel->name);
		if (e->kernel->arch.n)
			json_set_str(item, "arch", e->kernel->arch);
		json_set_str(item, "opcode", e->opcode->name);
		json_set_u64(item, "n", e->opcode->n);
		for (size_t s = 0; s < SASS_SITES && s < e->opcode->n; s++) {
			struct json *site = json_object(a);
			site_json(l, &e->opcode->sites[s], site);
			json_push(sites, site);
		}
		json_push(list, item);
	}
	return j;
}

struct json *sass_findings_json(const struct sass_listing *l, const struct sass_kernel *kernel, struct arena *a)
{
	struct json *list = json_array(a);
	size_t n;
	struct sass_finding *all = sass_judge_all(l, kernel, a, &n);
	for (size_t i = 0; i < n; i++)
		json_push(list, sass_finding_json(&all[i], l, a));
	return list;
}
