/* Host ELF files: exported functions, needed libraries, device code sections.
 * In: the bytes of an executable, shared object or object file.
 * Out: struct elf_file; and the search for an entry function.
 * Never loads or executes the file. */
#include "read/elf/internal.h"

#include <elf.h>
#include <string.h>

#include "base/file.h"
#include "read/scan.h"

#define MAX_NAMES ((size_t)1 << 20)

static struct str text_at(struct str table, uint64_t at)
{
	const char *end = at < table.n ? memchr(table.p + at, 0, table.n - (size_t)at) : NULL;
	return end ? (struct str){table.p + at, (size_t)(end - table.p) - (size_t)at} : (struct str){0};
}

static bool is_exported(const char *sym)
{
	unsigned info = (unsigned char)sym[4], visibility = (unsigned char)sym[5] & 3;
	unsigned bind = info >> 4, type = info & 15;
	return (bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE) &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC) && elf_le16(sym + 6) != SHN_UNDEF &&
	       (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static void exports(struct elf_file *f, struct arena *a, const struct elf_sections *s, uint32_t type)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct elf_section *t = &s->v[i];
		if (t->type != type || t->link >= s->n)
			continue;
		size_t n = t->data.n / sizeof(Elf64_Sym);
		n = n < MAX_NAMES ? n : MAX_NAMES;
		f->exports = ARENA_ARRAY(a, n ? n : 1, struct str);
		for (size_t j = 0; j < n; j++) {
			const char *sym = t->data.p + j * sizeof(Elf64_Sym);
			struct str name = text_at(s->v[t->link].data, elf_le32(sym));
			if (name.n && is_exported(sym))
				f->exports[f->n_exports++] = name;
		}
		return;
	}
}

static void dynamic(struct elf_file *f, struct arena *a, const struct elf_sections *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct elf_section *t = &s->v[i];
		if (t->type != SHT_DYNAMIC || t->link >= s->n)
			continue;
		size_t n = t->data.n / sizeof(Elf64_Dyn);
		n = n < MAX_NAMES ? n : MAX_NAMES;
		f->needed = ARENA_ARRAY(a, n ? n : 1, struct str);
		for (size_t j = 0; j < n; j++) {
			const char *d = t->data.p + j * sizeof(Elf64_Dyn);
			uint64_t tag = elf_le64(d);
			if (tag == DT_NULL)
				break;
			if (tag == DT_NEEDED)
				f->needed[f->n_needed++] = text_at(s->v[t->link].data, elf_le64(d + 8));
			else if (tag == DT_SONAME)
				f->soname = text_at(s->v[t->link].data, elf_le64(d + 8));
		}
		return;
	}
}

bool host_read(struct elf_file *f, struct arena *a, const char *name, struct str bytes, struct err *e)
{
	struct elf_sections s;
	struct str problem;
	if (!elf_sections_read(&s, a, bytes, &problem))
		return err_set(e, ERR_CORRUPT, "%s: %.*s", name, STR_ARG(problem));
	if (!s.is_64)
		return err_set(e, ERR_UNSUPPORTED, "%s: 32-bit ELF files are not read", name);
	f->content = ELF_CONTENT_HOST;
	f->machine = s.machine == EM_X86_64    ? STR("x86-64")
		     : s.machine == EM_AARCH64 ? STR("aarch64")
					       : str_from(arena_printf(a, "machine %u", s.machine));
	exports(f, a, &s, s.type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM);
	dynamic(f, a, &s);
	for (size_t i = 0; i < s.n; i++) {
		struct str section = s.v[i].name;
		if (s.v[i].data.n && (str_is(section, ".nv_fatbin") || str_is(section, "__nv_relfatbin")))
			fatbin_read(f, a, bytes, s.v[i].offset, s.v[i].size, arena_str(a, section));
	}
	return true;
}

/* _Z5solvePKfi: the name at global scope, then its parameters */
static bool is_cxx_name(struct str mangled, const char *entry)
{
	uint64_t n;
	if (!scan_text(&mangled, "_Z") || !scan_u64(&mangled, &n))
		return false;
	return n == strlen(entry) && scan_text(&mangled, entry) && mangled.n > 0;
}

static void append(char *list, size_t cap, struct str name)
{
	size_t n = strlen(list);
	if (name.n && n + name.n + 3 < cap) {
		memcpy(list + n, n ? ", " : "", n ? 2 : 0);
		n += n ? 2 : 0;
		memcpy(list + n, name.p, name.n);
		list[n + name.n] = 0;
	}
}

bool elf_entry_among(const struct str *names, size_t n, const char *entry, struct str *out, struct err *e)
{
	char list[512] = "";
	size_t n_found = 0;
	for (size_t i = 0; i < n; i++) {
		if (str_is(names[i], entry)) {
			*out = names[i];
			return true;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (!is_cxx_name(names[i], entry))
			continue;
		*out = names[i];
		n_found++;
		append(list, sizeof list, names[i]);
	}
	if (n_found == 1)
		return true;
	if (n_found)
		return err_set(e, ERR_INPUT, "%zu functions are named %s: %s; name the one that is meant", n_found,
			       entry, list);
	for (size_t i = 0; i < n && i < 12; i++)
		if (!str_starts(names[i], "_ZN") && !str_starts(names[i], "__"))
			append(list, sizeof list, names[i]);
	return err_set(e, ERR_INPUT, "no exported function %s; there are: %s", entry, list[0] ? list : "none");
}

bool elf_find_entry(struct arena *a, const char *path, const char *entry, struct str *out, struct err *e)
{
	struct file_map m;
	struct elf_sections s;
	struct elf_file f = {0};
	struct str problem, found;
	if (!file_map(&m, path, e))
		return false;
	bool ok = elf_sections_read(&s, a, (struct str){m.p, m.n}, &problem) && s.is_64;
	if (ok) {
		exports(&f, a, &s, s.type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM);
		ok = elf_entry_among(f.exports, f.n_exports, entry, &found, e) || err_prefix(e, "%s", path);
		if (ok)
			*out = arena_str(a, found);
	} else {
		(void)err_set(e, ERR_CORRUPT, "%s: no 64-bit ELF file", path);
	}
	file_unmap(&m);
	return ok;
}
