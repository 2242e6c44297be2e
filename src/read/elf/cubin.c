/* One device ELF: architecture, kernels, resources, line tables.
 * In: the bytes of a cubin.
 * Out: the image's kernels, flags and toolkit notes.
 * Never reads instructions. */
#include "read/elf/internal.h"

#include <elf.h>
#include <string.h>

#include "base/map.h"

/* Seen in cubins of CUDA 11.1 to 13.0 and checked against cuobjdump -elf of CUDA 13: `.nv.info` holds u8 format,
 * u8 attribute, u16 value or length, and for format 4 that many bytes. */
enum { /* attributes of .nv.info */
       ATTR_MAX_THREADS = 0x05,
       ATTR_REQNTID = 0x10,
       ATTR_FRAME_SIZE = 0x11,
       ATTR_MIN_STACK_SIZE = 0x12,
       ATTR_CBANK_PARAM_SIZE = 0x19,
       ATTR_REGCOUNT = 0x2f,
       ATTR_NUM_MBARRIERS = 0x38,
       ATTR_CTA_PER_CLUSTER = 0x3d,
       ATTR_NUM_BARRIERS = 0x4c,
};
#define COMPAT_ACCELERATOR 0x09    /* of .nv.compat: compiled for this very architecture ("a") */
#define STO_ENTRY 0x10             /* st_other: callable from the host */
#define FLAG_ACCELERATOR_V7 0x800u /* e_flags of ABI version 7 */
/* From sm_90 on ptxas places static shared memory behind 1 KiB of its own (seen in CUDA 13.0 for sm_90 to sm_121: the
 * section is 1,024 bytes longer than what -v prints; -res-usage prints the section). */
#define RESERVED_SHARED 1024u

struct reader {
	struct elf_image *image;
	struct arena *a;      /* what stays */
	struct arena scratch; /* what goes */
	struct elf_sections s;
	struct map by_name;          /* kernel name -> struct elf_kernel */
	struct elf_kernel **symbols; /* per symbol index; NULL: no kernel */
	size_t n_symbols;
	unsigned sm;
};

void elf_unmodeled(struct elf_image *image, struct arena *a, const char *kind, struct str what)
{
	if (image->unmodeled.n < 64)
		(void)map_intern(&image->unmodeled,
				 str_from(arena_printf(a, "%s%.*s", kind, STR_ARG(str_sub(what, 0, 48)))), NULL);
}

/* Attributes of .nv.info that are read, and those that say nothing of what is (seen in cubins of sm_80 to sm_121). */
static bool is_known(unsigned attr)
{
	static const unsigned char known[] = {0x05, 0x0a, 0x10, 0x11, 0x12, 0x17, 0x19, 0x1b, 0x1c, 0x1e, 0x23,
					      0x2b, 0x2f, 0x35, 0x36, 0x37, 0x38, 0x3d, 0x4a, 0x4c, 0x50, 0x5f};
	return memchr(known, (int)attr, sizeof known) != NULL;
}

static bool suffix(struct str name, const char *prefix, struct str *out)
{
	size_t n = strlen(prefix);
	if (!str_starts(name, prefix) || name.n == n)
		return false;
	*out = str_sub(name, n, name.n);
	return true;
}

static void find_kernels(struct reader *r)
{
	struct str name;
	size_t n = 0;
	for (size_t i = 0; i < r->s.n; i++)
		n += suffix(r->s.v[i].name, ".text.", &name);
	struct elf_kernel *kernels = ARENA_ARRAY(r->a, n ? n : 1, struct elf_kernel);
	map_init(&r->by_name, &r->scratch);
	for (size_t i = 0; i < r->s.n; i++) {
		const struct elf_section *s = &r->s.v[i];
		if (!suffix(s->name, ".text.", &name) || map_get(&r->by_name, name))
			continue;
		struct elf_kernel *k = &kernels[r->image->n_kernels++];
		k->name = arena_str(r->a, name);
		k->text_offset = s->offset;
		resources_set(&k->r, RESOURCE_CODE, s->size);
		resources_set(&k->r, RESOURCE_SHARED, 0);
		resources_set(&k->r, RESOURCE_LOCAL, 0);
		resources_set(&k->r, RESOURCE_BARRIERS, r->s.abi_version < 8 ? (s->flags >> 20) & 0x7f : 0);
		(void)map_set(&r->by_name, name, k);
	}
	r->image->kernels = kernels;
}

static void find_symbols(struct reader *r)
{
	for (size_t i = 0; i < r->s.n; i++) {
		const struct elf_section *s = &r->s.v[i];
		if (s->type != SHT_SYMTAB || s->link >= r->s.n || !r->s.is_64)
			continue;
		struct str names = r->s.v[s->link].data;
		r->n_symbols = s->data.n / sizeof(Elf64_Sym);
		r->symbols = ARENA_ARRAY(&r->scratch, r->n_symbols ? r->n_symbols : 1, struct elf_kernel *);
		for (size_t j = 0; j < r->n_symbols; j++) {
			const char *p = s->data.p + j * sizeof(Elf64_Sym);
			uint32_t at = elf_le32(p);
			const char *end = at < names.n ? memchr(names.p + at, 0, names.n - at) : NULL;
			if (ELF64_ST_TYPE((unsigned char)p[4]) != STT_FUNC || !end)
				continue;
			struct elf_kernel *k =
				map_get(&r->by_name, (struct str){names.p + at, (size_t)(end - names.p) - at});
			r->symbols[j] = k;
			if (k && ((unsigned char)p[5] & STO_ENTRY))
				k->is_entry = true;
			else if (!k && ((unsigned char)p[5] & STO_ENTRY) && elf_le16(p + 6) != SHN_UNDEF &&
				 !r->image->problem.n)
				r->image->problem = str_from(arena_printf(
					r->a, "kernel %.*s has no section .text.%.*s", (int)(end - names.p) - (int)at,
					names.p + at, (int)(end - names.p) - (int)at, names.p + at));
		}
		return;
	}
}

static struct elf_kernel *symbol_kernel(const struct reader *r, uint32_t i)
{
	return i < r->n_symbols ? r->symbols[i] : NULL;
}

/* a record about one kernel of the whole module: symbol index and value */
static void module_record(struct reader *r, unsigned attr, const char *p, size_t n)
{
	struct elf_kernel *k = n >= 8 ? symbol_kernel(r, elf_le32(p)) : NULL;
	if (!k)
		return;
	uint32_t v = elf_le32(p + 4);
	if (attr == ATTR_REGCOUNT)
		resources_set(&k->r, RESOURCE_REGISTERS, v);
	else if (attr == ATTR_FRAME_SIZE)
		resources_set(&k->r, RESOURCE_STACK, v);
	else if (attr == ATTR_MIN_STACK_SIZE)
		resources_set(&k->r, RESOURCE_STACK_TOTAL, v);
}

static uint64_t product(const char *p)
{
	uint64_t xy = (uint64_t)elf_le32(p) * elf_le32(p + 4), out;
	return __builtin_mul_overflow(xy, (uint64_t)elf_le32(p + 8), &out) ? UINT64_MAX : out;
}

static void kernel_record(struct elf_kernel *k, unsigned attr, uint16_t value, const char *p, size_t n)
{
	if (attr == ATTR_NUM_BARRIERS)
		resources_set(&k->r, RESOURCE_BARRIERS, value & 0xff);
	else if (attr == ATTR_CBANK_PARAM_SIZE)
		resources_set(&k->r, RESOURCE_PARAMETERS, value);
	else if (attr == ATTR_NUM_MBARRIERS)
		resources_set(&k->r, RESOURCE_MBARRIERS, value);
	else if ((attr == ATTR_MAX_THREADS || attr == ATTR_REQNTID) && n >= 12)
		resources_set(&k->r, RESOURCE_MAX_THREADS, product(p));
	else if (attr == ATTR_CTA_PER_CLUSTER && n >= 12)
		resources_set(&k->r, RESOURCE_CLUSTER, product(p));
}

/* k NULL: the module's own records */
static void records(struct reader *r, struct elf_kernel *k, struct str s)
{
	while (s.n >= 4) {
		unsigned format = (unsigned char)s.p[0], attr = (unsigned char)s.p[1];
		uint16_t value = elf_le16(s.p + 2);
		size_t n = format == 4 ? value : 0;
		if (n > s.n - 4) {
			r->image->problem = STR("a record of .nv.info is cut");
			return;
		}
		if (!is_known(attr))
			elf_unmodeled(r->image, r->a, ".nv.info attribute ",
				      str_from(arena_printf(r->a, "0x%02x", attr)));
		if (k)
			kernel_record(k, attr, value, s.p + 4, n);
		else
			module_record(r, attr, s.p + 4, n);
		s = str_sub(s, 4 + n, s.n);
	}
}

static bool accelerator(const struct reader *r)
{
	if (r->s.abi_version < 8)
		return r->s.flags & FLAG_ACCELERATOR_V7;
	for (size_t i = 0; i < r->s.n; i++) {
		struct str s = r->s.v[i].data;
		if (!str_is(r->s.v[i].name, ".nv.compat"))
			continue;
		while (s.n >= 4) {
			unsigned format = (unsigned char)s.p[0];
			uint16_t value = elf_le16(s.p + 2);
			if ((unsigned char)s.p[1] == COMPAT_ACCELERATOR && format != 4)
				return value & 1;
			s = str_sub(s, 4 + (format == 4 ? value : (size_t)0), s.n);
		}
	}
	return false;
}

static void architecture(struct reader *r)
{
	r->sm = r->s.abi_version >= 8 ? (r->s.flags >> 8) & 0xff : r->s.flags & 0xff;
	if (!r->image->arch.n)
		r->image->arch = str_from(arena_printf(r->a, "sm_%u%s", r->sm, accelerator(r) ? "a" : ""));
	if (r->s.abi_version < 8 && r->s.version > 1)
		r->image->toolkit = r->s.version;
}

/* .note.nv.tkinfo: 24 bytes of note header and owner; version 2, offsets of object, tool, tool version, branch and
 * arguments; strings */
static void toolkit_note(struct reader *r, struct str s)
{
	struct str part[3] = {{0}};
	static const size_t at[3] = {32, 36, 44}; /* tool, its version, its arguments */
	if (s.n < 49 || elf_le32(s.p + 24) != 2)
		return;
	for (size_t i = 0; i < 3; i++) {
		struct str rest = str_sub(s, 48 + (size_t)elf_le32(s.p + at[i]), s.n);
		part[i] = str_sub(rest, 0, strnlen(rest.p, rest.n));
	}
	r->image->tool = str_from(arena_printf(r->a, "%.*s, %.*s", STR_ARG(part[0]), STR_ARG(part[1])));
	r->image->tool_arguments = arena_str(r->a, str_trim(part[2]));
}

static void kernel_section(struct reader *r, const struct elf_section *s)
{
	struct str name;
	struct elf_kernel *k;
	if (suffix(s->name, ".nv.info.", &name) && (k = map_get(&r->by_name, name))) {
		records(r, k, s->data);
	} else if (suffix(s->name, ".nv.shared.", &name) && (k = map_get(&r->by_name, name))) {
		bool is_linked = !(r->image->flags & ELF_RELOCATABLE);
		uint64_t reserved = is_linked && r->sm >= 90 && s->size >= RESERVED_SHARED ? RESERVED_SHARED : 0;
		resources_set(&k->r, RESOURCE_SHARED, s->size - reserved);
		resources_set(&k->r, RESOURCE_SHARED_SECTION, s->size);
	} else if (suffix(s->name, ".nv.local.", &name) && (k = map_get(&r->by_name, name))) {
		resources_set(&k->r, RESOURCE_LOCAL, s->size);
	} else if (str_starts(s->name, ".nv.constant")) {
		struct str rest = str_sub(s->name, 12, s->name.n);
		size_t dot = str_find_char(rest, '.');
		k = dot == SIZE_MAX ? NULL : map_get(&r->by_name, str_sub(rest, dot + 1, rest.n));
		if (k && rest.p[0] == '0' && dot == 1)
			resources_set(&k->r, RESOURCE_CONST0, s->size);
		else if (k)
			resources_add(&k->r, RESOURCE_CONST_OTHER, s->size);
		else if (dot == SIZE_MAX)
			r->image->constant_bytes += s->size;
	}
}

static void module_section(struct reader *r, const struct elf_section *s)
{
	if (str_is(s->name, ".nv.info"))
		records(r, NULL, s->data);
	else if (str_is(s->name, ".debug_line"))
		r->image->flags |= ELF_LINE_TABLE;
	else if (str_is(s->name, ".debug_info"))
		r->image->flags |= ELF_DEBUG_INFO;
	else if (str_is(s->name, ".nv.global") || str_is(s->name, ".nv.global.init"))
		r->image->global_bytes += s->size;
	else if (str_is(s->name, ".note.nv.tkinfo"))
		toolkit_note(r, s->data);
	else if (str_is(s->name, ".note.nv.cuinfo") && s->data.n >= 30)
		r->image->toolkit = elf_le16(s->data.p + 28);
	else
		kernel_section(r, s);
}

/* Every kernel has its count of registers: where none says one, the records are not as known. */
static void check_registers(struct reader *r)
{
	for (size_t i = 0; i < r->image->n_kernels && !r->image->problem.n; i++) {
		const struct elf_kernel *k = &r->image->kernels[i];
		if (k->is_entry && !resources_has(&k->r, RESOURCE_REGISTERS))
			r->image->problem = str_from(arena_printf(
				r->a, "no register count of kernel %.*s: .nv.info has no record 0x%02x of it",
				STR_ARG(k->name), ATTR_REGCOUNT));
	}
}

static bool read_sections(struct reader *r)
{
	struct elf_image *image = r->image;
	if (r->s.machine != ELF_MACHINE_CUDA) {
		image->problem = str_from(arena_printf(r->a, "ELF machine %u is no GPU", r->s.machine));
		return false;
	}
	if (r->s.type == ET_REL)
		image->flags |= ELF_RELOCATABLE;
	r->image->abi = r->s.abi_version;
	architecture(r);
	find_kernels(r);
	find_symbols(r);
	for (size_t i = 0; i < r->s.n; i++)
		module_section(r, &r->s.v[i]);
	check_registers(r);
	return image->problem.n == 0;
}

bool cubin_read(struct elf_image *image, struct arena *a, struct str bytes)
{
	struct reader r = {.image = image, .a = a};
	image->kind = ELF_IMAGE_CUBIN;
	map_init(&image->unmodeled, a);
	arena_init(&r.scratch);
	bool ok = elf_sections_read(&r.s, &r.scratch, bytes, &image->problem) && read_sections(&r);
	image->problem = arena_str(a, image->problem);
	arena_release(&r.scratch);
	return ok;
}
