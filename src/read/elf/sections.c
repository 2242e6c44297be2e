/* Sections of an ELF file, host or device, through libelf.
 * In: the bytes of one ELF file.
 * Out: a table of sections whose names and contents lie inside the bytes.
 * Never trusts an offset or a size: a section outside the file is an error with its index. */
#include "read/elf/internal.h"

#include <gelf.h>
#include <string.h>

#define MAX_SECTIONS ((size_t)1 << 22)

uint16_t elf_le16(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;
	return (uint16_t)(b[0] | b[1] << 8);
}

uint32_t elf_le32(const char *p)
{
	return elf_le16(p) | (uint32_t)elf_le16(p + 2) << 16;
}

uint64_t elf_le64(const char *p)
{
	return elf_le32(p) | (uint64_t)elf_le32(p + 4) << 32;
}

/* NUL-terminated string at `at` of a string table; empty when it is outside */
static struct str name_at(struct str table, uint64_t at)
{
	if (at >= table.n)
		return (struct str){0};
	const char *p = table.p + at, *end = memchr(p, 0, table.n - (size_t)at);
	return end ? (struct str){p, (size_t)(end - p)} : (struct str){0};
}

static bool one_section(Elf *elf, size_t i, struct elf_section *out, struct str bytes, GElf_Word *name_offset)
{
	GElf_Shdr h;
	Elf_Scn *scn = elf_getscn(elf, i);
	if (!scn || !gelf_getshdr(scn, &h))
		return false;
	*out = (struct elf_section){.type = h.sh_type, .flags = h.sh_flags, .offset = h.sh_offset, .size = h.sh_size};
	out->entry_size = h.sh_entsize;
	out->link = h.sh_link;
	out->info = h.sh_info;
	*name_offset = h.sh_name;
	if (h.sh_type == SHT_NOBITS || h.sh_type == SHT_NULL)
		return true;
	if (h.sh_offset > bytes.n || h.sh_size > bytes.n - h.sh_offset)
		return false;
	out->data = (struct str){bytes.p + h.sh_offset, (size_t)h.sh_size};
	return true;
}

/* libelf takes a table that reaches beyond the file for none */
static bool table_inside(uint64_t at, uint64_t n, uint64_t size, struct str bytes)
{
	return !at || (at <= bytes.n && n * size <= bytes.n - at);
}

static bool all_sections(struct elf_sections *out, struct arena *a, Elf *elf, struct str bytes, struct str *problem)
{
	GElf_Ehdr h;
	size_t n = 0, i_names = 0;
	if (!gelf_getehdr(elf, &h) || elf_getshdrnum(elf, &n) || n > MAX_SECTIONS) {
		*problem = STR("ELF header or section table at offset 0 is broken");
		return false;
	}
	if (!table_inside(h.e_shoff, h.e_shnum, h.e_shentsize, bytes) ||
	    !table_inside(h.e_phoff, h.e_phnum, h.e_phentsize, bytes) || (h.e_shnum && !n)) {
		*problem = str_from(arena_printf(a, "ELF file is cut at %zu bytes: its section table begins at %llu",
						 bytes.n, (unsigned long long)h.e_shoff));
		return false;
	}
	out->machine = h.e_machine;
	out->type = h.e_type;
	out->flags = h.e_flags;
	out->version = h.e_version;
	out->abi = h.e_ident[EI_OSABI];
	out->abi_version = h.e_ident[EI_ABIVERSION];
	out->is_64 = h.e_ident[EI_CLASS] == ELFCLASS64;
	if (h.e_ident[EI_DATA] != ELFDATA2LSB) {
		*problem = STR("big-endian ELF files are not read");
		return false;
	}
	if (n && elf_getshdrstrndx(elf, &i_names)) {
		*problem = STR("ELF section name table is broken");
		return false;
	}
	out->v = ARENA_ARRAY(a, n ? n : 1, struct elf_section);
	GElf_Word *names = ARENA_ARRAY(a, n ? n : 1, GElf_Word);
	for (size_t i = 0; i < n; i++) {
		if (!one_section(elf, i, &out->v[i], bytes, &names[i])) {
			*problem = str_from(arena_printf(a, "ELF section %zu of %zu lies outside the file", i, n));
			return false;
		}
	}
	out->n = n;
	for (size_t i = 0; i < n && i_names < n; i++)
		out->v[i].name = name_at(out->v[i_names].data, names[i]);
	return true;
}

bool elf_sections_read(struct elf_sections *out, struct arena *a, struct str bytes, struct str *problem)
{
	*out = (struct elf_sections){0};
	if (bytes.n < 52 || memcmp(bytes.p, "\177ELF", 4) != 0) {
		*problem = str_from(arena_printf(a, "ELF file of %zu bytes is cut inside its header", bytes.n));
		return false;
	}
	(void)elf_version(EV_CURRENT);
	/* libelf wants a writable pointer and does not write in read mode */
	Elf *elf = elf_memory((char *)(uintptr_t)bytes.p, bytes.n);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		*problem = str_from(arena_printf(a, "no ELF file: %s", elf_errmsg(-1)));
		if (elf)
			elf_end(elf);
		return false;
	}
	bool ok = all_sections(out, a, elf, bytes, problem);
	elf_end(elf);
	return ok;
}
