/* The door of the binary reader: tells what a file is, reads it, writes the facts as JSON.
 * In: the bytes of an ELF file, a fatbin, or PTX text.
 * Out: struct elf_file.
 * Never executes, loads or links anything. */
#include "read/elf/elf.h"

#include <string.h>

#include "read/elf/internal.h"
#include "read/scan.h"

#define FATBIN_MAGIC "\x50\xed\x55\xba"

struct elf_image *elf_add_image(struct elf_file *f, struct arena *a)
{
	if (f->n_images == ELF_MAX_IMAGES) {
		if (!f->problem.n)
			f->problem = STR("more than 65,536 device images: the rest is not read");
		return NULL;
	}
	if (f->n_images == f->cap_images) {
		size_t cap = f->cap_images ? f->cap_images * 2 : 8;
		struct elf_image *v = ARENA_ARRAY(a, cap, struct elf_image);
		if (f->n_images)
			memcpy(v, f->images, f->n_images * sizeof *v);
		f->images = v;
		f->cap_images = cap;
	}
	return &f->images[f->n_images++];
}

static bool is_ptx(struct str s)
{
	s = str_sub(s, 0, 65536);
	while (s.n) { /* comments and blank lines, then .version */
		s = str_trim(s);
		if (str_starts(s, ".version"))
			return true;
		size_t skip = str_starts(s, "//")   ? str_find_char(s, '\n')
			      : str_starts(s, "/*") ? str_find(s, STR("*/"))
						    : SIZE_MAX;
		if (skip == SIZE_MAX)
			return false;
		s = str_sub(s, skip + (s.p[1] == '*' ? 2 : 1), s.n);
	}
	return false;
}

static bool starts(struct str s, const char *magic)
{
	return s.n >= 4 && memcmp(s.p, magic, 4) == 0;
}

bool elf_is_binary(struct str bytes)
{
	return starts(bytes, "\177ELF") || starts(bytes, FATBIN_MAGIC) || is_ptx(bytes);
}

static struct elf_image *whole_file(struct elf_file *f, struct arena *a, struct str bytes)
{
	struct elf_image *image = elf_add_image(f, a);
	image->compression = STR("none");
	image->stored_bytes = image->bytes = bytes.n;
	memcpy(image->sha256, f->sha256, sizeof image->sha256);
	return image;
}

static bool problem(const char *name, struct str what, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "%s: %.*s", name, STR_ARG(what));
}

static bool read_fatbin(struct elf_file *out, struct arena *a, const char *name, struct str bytes, struct err *e)
{
	out->content = ELF_CONTENT_FATBIN;
	fatbin_read(out, a, bytes, 0, bytes.n, (struct str){0});
	if (out->n_images)
		return true;
	return problem(name, out->problem.n ? out->problem : STR("fatbin without an entry"), e);
}

bool elf_read(struct elf_file *out, struct arena *a, const char *name, struct str bytes, struct err *e)
{
	*out = (struct elf_file){.bytes = bytes.n};
	sha256_of(bytes.p, bytes.n, out->sha256);
	if (starts(bytes, FATBIN_MAGIC))
		return bytes.n >= 16 ? read_fatbin(out, a, name, bytes, e)
				     : problem(name, STR("fatbin is cut inside its header"), e);
	if (starts(bytes, "\177ELF")) {
		if (bytes.n < 20 || elf_le16(bytes.p + 18) != ELF_MACHINE_CUDA)
			return host_read(out, a, name, bytes, e);
		out->content = ELF_CONTENT_CUBIN;
		out->machine = STR("cuda");
		struct elf_image *image = whole_file(out, a, bytes);
		return cubin_read(image, a, bytes) || problem(name, image->problem, e);
	}
	if (is_ptx(bytes)) {
		out->content = ELF_CONTENT_PTX;
		struct elf_image *image = whole_file(out, a, bytes);
		return ptx_read(image, a, bytes) || problem(name, image->problem, e);
	}
	if (bytes.n == 0)
		return err_set(e, ERR_INPUT, "%s: the file is empty", name);
	return err_set(e, ERR_INPUT, "%s: neither an ELF file nor a fatbin nor PTX text", name);
}

const struct elf_kernel *elf_find_kernel(const struct elf_file *f, struct str kernel, struct str arch)
{
	for (size_t i = 0; i < f->n_images; i++) {
		const struct elf_image *image = &f->images[i];
		if (arch.n && !str_eq(arch, image->arch))
			continue;
		for (size_t j = 0; j < image->n_kernels; j++)
			if (str_eq(image->kernels[j].name, kernel))
				return &image->kernels[j];
	}
	return NULL;
}

const char *elf_image_kind_name(enum elf_image_kind k)
{
	static const char *const names[] = {"cubin", "ptx", "lto", "other"};
	return names[k];
}

const char *elf_content_name(enum elf_content c)
{
	static const char *const names[] = {"host", "cubin", "fatbin", "ptx"};
	return names[c];
}

static void set_text(struct json *j, const char *key, struct str s)
{
	if (s.n)
		json_set_str(j, key, s);
}

static struct json *kernel_json(const struct elf_kernel *k, struct arena *a)
{
	struct json *j = json_object(a);
	json_set_str(j, "name", k->name);
	json_set_bool(j, "entry", k->is_entry);
	resources_json(&k->r, json_set_object(j, "resources"));
	return j;
}

static struct json *image_json(const struct elf_image *i, struct arena *a)
{
	struct json *j = json_object(a), *kernels = json_set_array(j, "kernels");
	json_set_cstr(j, "kind", elf_image_kind_name(i->kind));
	json_set_u64(j, "offset", i->offset);
	json_set_u64(j, "stored_bytes", i->stored_bytes);
	json_set_u64(j, "bytes", i->bytes);
	json_set_bool(j, "line_table", i->flags & ELF_LINE_TABLE);
	json_set_bool(j, "debug_info", i->flags & ELF_DEBUG_INFO);
	json_set_bool(j, "relocatable", i->flags & ELF_RELOCATABLE);
	set_text(j, "arch", i->arch);
	set_text(j, "section", i->section);
	set_text(j, "name", i->name);
	set_text(j, "compression", i->compression);
	set_text(j, "sha256", str_from(i->sha256));
	set_text(j, "problem", i->problem);
	set_text(j, "tool", i->tool);
	set_text(j, "tool_arguments", i->tool_arguments);
	set_text(j, "ptx_version", i->ptx_version);
	set_text(j, "ptx_target", i->ptx_target);
	if (i->toolkit)
		json_set_str(j, "toolkit", str_from(arena_printf(a, "%u.%u", i->toolkit / 10, i->toolkit % 10)));
	if (i->kind == ELF_IMAGE_CUBIN) {
		json_set_u64(j, "global_bytes", i->global_bytes);
		json_set_u64(j, "constant_bytes", i->constant_bytes);
	}
	for (size_t k = 0; k < i->n_kernels; k++)
		json_push(kernels, kernel_json(&i->kernels[k], a));
	return j;
}

struct json *elf_json(const struct elf_file *f, struct arena *a)
{
	struct json *j = json_object(a), *images = json_set_array(j, "images");
	json_set_cstr(j, "content", elf_content_name(f->content));
	json_set_cstr(j, "sha256", f->sha256);
	json_set_u64(j, "bytes", f->bytes);
	set_text(j, "machine", f->machine);
	set_text(j, "problem", f->problem);
	set_text(j, "soname", f->soname);
	for (size_t i = 0; i < f->n_images; i++)
		json_push(images, image_json(&f->images[i], a));
	if (f->content == ELF_CONTENT_HOST) {
		struct json *needed = json_set_array(j, "needed"), *names = json_set_array(j, "exports");
		for (size_t i = 0; i < f->n_needed; i++)
			json_push_str(needed, f->needed[i]);
		for (size_t i = 0; i < f->n_exports; i++)
			json_push_str(names, f->exports[i]);
	}
	return j;
}
