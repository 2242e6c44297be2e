/* Facts of one compiler stage.
 * In: the bytes of a stage and which one it is.
 * Out: digest, size, structure, functions, target.
 * Never: concludes from IR what the machine code does. */
#include "read/elf/stage.h"

#include <string.h>

#include "base/file.h"
#include "read/elf/elf.h"
#include "read/sass/sass.h"
#include "read/scan.h"

#define MAX_FUNCTIONS ((size_t)65536)

static const struct {
	const char *name, *extension, *markers[2];
} stages[] = {
#define STAGE_X(id, name, extension, a, b) {name, extension, {a, b}},
	STAGE_TABLE(STAGE_X)
#undef STAGE_X
};

const char *stage_name(enum stage s)
{
	return stages[s].name;
}

enum stage stage_of_path(const char *path)
{
	static const struct {
		const char *extension;
		enum stage stage;
	} more[] = {{".so", STAGE_BINARY}, {".o", STAGE_BINARY},  {".fatbin", STAGE_BINARY},
		    {".cu", STAGE_SOURCE}, {".py", STAGE_SOURCE}, {".ll", STAGE_LLVM_IR}};
	const char *ext = path_ext(path);
	for (size_t i = 0; i < STAGE_COUNT; i++)
		if (strcmp(ext, stages[i].extension) == 0)
			return (enum stage)i;
	for (size_t i = 0; i < COUNT_OF(more); i++)
		if (strcmp(ext, more[i].extension) == 0)
			return more[i].stage;
	return STAGE_COUNT;
}

static bool has(struct str s, const char *what)
{
	return str_find(s, str_from(what)) != SIZE_MAX;
}

enum stage stage_of_text(struct str bytes)
{
	struct str head = str_sub(bytes, 0, 65536);
	if (str_starts(bytes, "\177ELF") || str_starts(bytes, "\x50\xed\x55\xba"))
		return STAGE_BINARY;
	if (elf_is_binary(bytes))
		return STAGE_PTX;
	if (sass_is_listing(bytes))
		return STAGE_SASS;
	if (has(head, "module") && (has(head, "ttg.") || has(head, "triton_gpu.")))
		return STAGE_TTGIR;
	if (has(head, "module") && has(head, "tt.func"))
		return STAGE_TTIR;
	if (has(head, "target triple = ") || (has(head, "source_filename = ") && has(head, "define ")))
		return STAGE_LLVM_IR;
	return STAGE_COUNT;
}

static uint64_t occurrences(struct str s, const char *what)
{
	uint64_t n = 0;
	size_t at, step = strlen(what);
	while (step && (at = str_find(s, str_from(what))) != SIZE_MAX) {
		n++;
		s = str_sub(s, at + step, s.n);
	}
	return n;
}

struct names {
	struct stage_facts *f;
	struct arena *a;
	size_t cap;
};

static void add_function(struct names *n, struct str name)
{
	struct stage_facts *f = n->f;
	if (!name.n || f->n_functions == MAX_FUNCTIONS)
		return;
	if (f->n_functions == n->cap) {
		n->cap = n->cap ? n->cap * 2 : 8;
		struct str *v = ARENA_ARRAY(n->a, n->cap, struct str);
		if (f->n_functions)
			memcpy(v, f->functions, f->n_functions * sizeof *v);
		f->functions = v;
	}
	f->functions[f->n_functions++] = arena_str(n->a, name);
}

/* "tt.func public @name(", "define void @name(", "define ptx_kernel void @\"a b\"(" */
static struct str at_name(struct str line)
{
	size_t at = str_find_char(line, '@');
	if (at == SIZE_MAX)
		return (struct str){0};
	struct str s = str_sub(line, at + 1, line.n), quoted;
	if (scan_text(&s, "\"") && scan_until(&s, '"', &quoted))
		return quoted;
	return scan_name(&s);
}

static void ir_line(struct names *n, struct str line)
{
	struct str s = str_trim(line), quoted;
	if (n->f->stage == STAGE_LLVM_IR) {
		if (str_starts(s, "define "))
			add_function(n, at_name(s));
		else if (scan_text(&s, "target triple = \"") && scan_until(&s, '"', &quoted))
			n->f->triple = arena_str(n->a, quoted);
	} else if (str_starts(s, "tt.func")) {
		add_function(n, at_name(s));
	} else if (n->f->stage == STAGE_SASS && scan_text(&s, "Function : ")) {
		add_function(n, str_trim(s));
	} else if (n->f->stage == STAGE_SASS && scan_text(&s, ".target") && !n->f->target.n) {
		n->f->target = arena_str(n->a, str_trim(s));
	}
}

/* ttg.num-warps = 4 : i32, with or without quotation marks around the key; older: triton_gpu.num-warps */
static int64_t attribute(struct str text, const char *key)
{
	uint64_t v;
	size_t at = str_find(text, str_from(key));
	if (at == SIZE_MAX)
		return -1;
	struct str s = str_sub(text, at + strlen(key), text.n);
	(void)scan_text(&s, "\"");
	scan_spaces(&s);
	if (!scan_text(&s, "="))
		return -1;
	scan_spaces(&s);
	return scan_u64(&s, &v) && v < INT64_MAX ? (int64_t)v : -1;
}

static void triton_attributes(struct stage_facts *f, struct arena *a, struct str text)
{
	size_t at = str_find(text, STR("module attributes"));
	if (at == SIZE_MAX)
		return;
	struct str line = str_sub(text, at, 4096), target;
	line = str_sub(line, 0, str_find_char(line, '\n'));
	f->num_warps = attribute(line, ".num-warps");
	f->num_ctas = attribute(line, ".num-ctas");
	f->threads_per_warp = attribute(line, ".threads-per-warp");
	f->shared_bytes = attribute(line, ".shared");
	at = str_find(line, STR(".target = \""));
	if (at == SIZE_MAX)
		return;
	line = str_sub(line, at + 11, line.n);
	if (scan_until(&line, '"', &target))
		f->target = arena_str(a, target);
}

static void text_facts(struct stage_facts *out, struct arena *a, struct str bytes)
{
	struct names names = {.f = out, .a = a};
	struct str rest = bytes, line;
	bool whole = true;
	for (size_t i = 0; i < 2; i++) {
		const char *marker = stages[out->stage].markers[i];
		out->n_markers[i] = occurrences(bytes, marker);
		whole &= !*marker || out->n_markers[i] > 0;
	}
	out->is_whole = whole;
	out->is_ascii = true;
	for (size_t i = 0; i < bytes.n; i++)
		out->is_ascii &= (unsigned char)bytes.p[i] < 0x80;
	out->ends_with_newline = bytes.n && bytes.p[bytes.n - 1] == '\n';
	while (str_split(&rest, '\n', &line)) {
		out->n_lines += rest.p || line.n;
		ir_line(&names, line);
	}
	if (out->stage == STAGE_TTGIR || out->stage == STAGE_TTIR)
		triton_attributes(out, a, bytes);
	if (out->stage == STAGE_PTX) {
		struct elf_file f;
		struct err e;
		if (!elf_read(&f, a, "ptx", bytes, &e) || !f.n_images)
			return;
		out->target = f.images[0].ptx_target;
		for (size_t i = 0; i < f.images[0].n_kernels; i++)
			add_function(&names, f.images[0].kernels[i].name);
	}
}

void stage_read(struct stage_facts *out, struct arena *a, enum stage stage, struct str bytes)
{
	*out = (struct stage_facts){.stage = stage, .bytes = bytes.n};
	out->num_warps = out->num_ctas = out->threads_per_warp = out->shared_bytes = -1;
	sha256_of(bytes.p, bytes.n, out->sha256);
	out->is_text = stage != STAGE_BINARY && str_find_char(bytes, 0) == SIZE_MAX;
	if (out->is_text)
		text_facts(out, a, bytes);
	else
		out->is_whole = stage == STAGE_BINARY && elf_is_binary(bytes);
}

static void set_number(struct json *j, const char *key, int64_t v)
{
	if (v >= 0)
		json_set_i64(j, key, v);
}

struct json *stage_json(const struct stage_facts *f, struct arena *a)
{
	struct json *j = json_object(a), *markers = json_set_object(j, "structural_markers");
	struct json *functions = json_set_array(j, "functions");
	json_set_cstr(j, "stage", stage_name(f->stage));
	json_set_cstr(j, "content_sha256", f->sha256);
	json_set_u64(j, "size_bytes", f->bytes);
	json_set_bool(j, "whole", f->is_whole);
	if (f->is_text) {
		json_set_cstr(j, "encoding", f->is_ascii ? "ascii" : "utf-8 or other");
		json_set_u64(j, "line_count", f->n_lines);
		json_set_bool(j, "ends_with_newline", f->ends_with_newline);
	}
	for (size_t i = 0; i < 2; i++)
		if (*stages[f->stage].markers[i])
			json_set_u64(markers, stages[f->stage].markers[i], f->n_markers[i]);
	for (size_t i = 0; i < f->n_functions; i++)
		json_push_str(functions, f->functions[i]);
	if (f->target.n)
		json_set_str(j, "target", f->target);
	if (f->triple.n)
		json_set_str(j, "triple", f->triple);
	set_number(j, "num_warps", f->num_warps);
	set_number(j, "num_ctas", f->num_ctas);
	set_number(j, "threads_per_warp", f->threads_per_warp);
	set_number(j, "shared_bytes", f->shared_bytes);
	return j;
}

bool stage_triton_read(struct stage_triton *out, struct arena *a, const char *name, struct str text, struct err *e)
{
	const struct json *j = json_parse(a, name, text, JSON_ALLOW_DUPLICATES, e);
	if (!j)
		return false;
	const struct json *target = json_get(j, "target");
	if (j->type != JSON_OBJECT || !json_get(j, "num_warps"))
		return err_set(e, ERR_INPUT, "%s: no \"num_warps\": not Triton's metadata", name);
	*out = (struct stage_triton){.name = json_str(j, "name", STR("")), .hash = json_str(j, "hash", STR(""))};
	out->num_warps = json_i64(j, "num_warps", -1);
	out->num_stages = json_i64(j, "num_stages", -1);
	out->num_ctas = json_i64(j, "num_ctas", -1);
	out->shared_bytes = json_i64(j, "shared", -1);
	out->backend = json_str(target, "backend", STR(""));
	out->arch = json_i64(target, "arch", -1);
	return true;
}
