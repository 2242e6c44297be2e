/* Fatbin containers: entries with their storage, decompressed one at a time.
 * In: a range of a file that holds containers one behind the other.
 * Out: one image per entry; a cut or broken container is stated, the entries before it stay.
 * Never allocates by a size that the file claims before the decoder has produced that much. */
#include "read/elf/internal.h"

#include <string.h>
#include <zstd.h>

#define MAGIC 0xba55ed50u
#define CONTAINER_HEADER 16u
#define ENTRY_HEADER 64u
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define FLAG_SCRAMBLED 0x10000u /* LTO code: compressed bytes are no plain zstd frame (seen in nvcc 13.0) */
#define FLAG_ARCH 0x100000u     /* compiled for this very architecture: "a" */
#define FLAG_FAMILY 0x200000u   /* for its family: "f" */

static void cut(struct elf_file *f, struct arena *a, const char *what, uint64_t at, uint64_t missing)
{
	if (!f->problem.n)
		f->problem = str_from(arena_printf(a, "offset %llu: %s: %llu bytes are missing", (unsigned long long)at,
						   what, (unsigned long long)missing));
}

static bool zstd_block(struct buf *out, struct str in, uint64_t bytes)
{
	unsigned long long claimed = ZSTD_getFrameContentSize(in.p, in.n);
	if (claimed == ZSTD_CONTENTSIZE_ERROR || (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != bytes))
		return false;
	buf_reserve(out, (size_t)bytes); /* bounded by the caller; untouched pages cost nothing */
	size_t n = ZSTD_decompress(out->p + out->n, (size_t)bytes, in.p, in.n);
	if (ZSTD_isError(n) || n != bytes)
		return false;
	out->n += n;
	out->p[out->n] = 0;
	return true;
}

bool elf_image_bytes(struct buf *out, const struct elf_image *image, struct str bytes, struct err *e)
{
	struct str in = str_sub(bytes, (size_t)image->offset, (size_t)image->stored_bytes);
	bool ok = false;
	if (image->bytes > ELF_MAX_IMAGE)
		return err_set(e, ERR_CORRUPT, "image at offset %llu claims %llu bytes, more than %llu are not read",
			       (unsigned long long)image->offset, (unsigned long long)image->bytes,
			       (unsigned long long)ELF_MAX_IMAGE);
	if (str_is(image->compression, "none")) {
		buf_str(out, in);
		ok = in.n == image->stored_bytes;
	} else if (str_is(image->compression, "lz4")) {
		ok = lz4_block(out, in, image->bytes);
	} else if (str_is(image->compression, "zstd")) {
		ok = zstd_block(out, in, image->bytes);
	} else {
		return err_set(e, ERR_UNSUPPORTED, "image at offset %llu: compression scheme not known: %.*s",
			       (unsigned long long)image->offset, STR_ARG(image->compression));
	}
	if (!ok)
		return err_set(e, ERR_CORRUPT, "image at offset %llu: %.*s data are damaged",
			       (unsigned long long)image->offset, STR_ARG(image->compression));
	return true;
}

static void storage(struct elf_image *image, struct arena *a, struct str entry, size_t at)
{
	uint64_t flags = elf_le64(entry.p + 40), size = elf_le64(entry.p + 8);
	uint32_t compressed = elf_le32(entry.p + 16);
	image->offset = at;
	image->stored_bytes = image->bytes = size;
	image->compression = STR("none");
	if (!compressed)
		return;
	image->stored_bytes = compressed < size ? compressed : size;
	image->bytes = elf_le64(entry.p + 56);
	if (flags & FLAG_SCRAMBLED)
		image->compression = str_from(arena_printf(a, "scrambled (flags 0x%llx)", (unsigned long long)flags));
	else if (flags & FLAG_ZSTD)
		image->compression = STR("zstd");
	else if (flags & FLAG_LZ4)
		image->compression = STR("lz4");
	else
		image->compression = str_from(arena_printf(a, "unknown (flags 0x%llx)", (unsigned long long)flags));
}

static void content(struct elf_file *f, struct elf_image *image, struct arena *a, struct str file)
{
	struct buf b;
	struct err e;
	f->expanded_bytes += image->bytes < ELF_MAX_IMAGE ? image->bytes : ELF_MAX_IMAGE;
	if (f->expanded_bytes > ELF_MAX_EXPANDED + 64 * f->bytes) {
		image->problem = STR("not expanded: the images of this file are more than 64 times its size");
		return;
	}
	buf_init(&b);
	if (elf_image_bytes(&b, image, file, &e)) {
		struct str s = buf_view(&b);
		while (image->kind == ELF_IMAGE_PTX && s.n && s.p[s.n - 1] == 0)
			s.n--; /* padding and the terminator */
		image->bytes = s.n;
		sha256_of(s.p, s.n, image->sha256);
		if (image->kind == ELF_IMAGE_CUBIN)
			(void)cubin_read(image, a, s);
		else if (image->kind == ELF_IMAGE_PTX)
			(void)ptx_read(image, a, s);
	} else {
		image->problem = arena_str(a, str_from(e.text));
	}
	buf_release(&b);
}

static void entry_read(struct elf_file *f, struct arena *a, struct str file, size_t at, struct str section)
{
	struct elf_image *image = elf_add_image(f, a);
	if (!image)
		return;
	struct str entry = str_sub(file, at, file.n);
	unsigned kind = elf_le16(entry.p);
	uint32_t header = elf_le32(entry.p + 4), arch = elf_le32(entry.p + 28);
	uint32_t name_at = elf_le32(entry.p + 32), name_n = elf_le32(entry.p + 36);
	uint64_t flags = elf_le64(entry.p + 40);
	image->section = section;
	image->kind = kind == 1   ? ELF_IMAGE_PTX
		      : kind == 2 ? ELF_IMAGE_CUBIN
		      : kind == 8 ? ELF_IMAGE_LTO
				  : ELF_IMAGE_OTHER;
	if (name_n && name_at <= header && name_n <= header - name_at)
		image->name = arena_str(a, str_sub(entry, name_at, name_n));
	storage(image, a, entry, at + header);
	if (image->kind == ELF_IMAGE_CUBIN || image->kind == ELF_IMAGE_PTX)
		content(f, image, a, file);
	else if (image->kind == ELF_IMAGE_OTHER)
		image->problem = str_from(arena_printf(a, "kind %u of fatbin entry is not known", kind));
	const char *what = image->kind == ELF_IMAGE_CUBIN ? "sm" : image->kind == ELF_IMAGE_LTO ? "lto" : "compute";
	const char *suffix = flags & FLAG_ARCH ? "a" : flags & FLAG_FAMILY ? "f" : "";
	if (!image->arch.n || (flags & FLAG_FAMILY))
		image->arch = str_from(arena_printf(a, "%s_%u%s", what, arch, suffix));
}

/* One container; returns where the next one can begin, or 0 to stop. */
static size_t container(struct elf_file *f, struct arena *a, struct str file, size_t at, struct str section)
{
	size_t header = elf_le16(file.p + at + 6), end;
	uint64_t n = elf_le64(file.p + at + 8);
	bool is_cut = false;
	if (header < CONTAINER_HEADER || header > file.n - at) {
		cut(f, a, "fatbin header", at, header);
		return 0;
	}
	if (n > file.n - at - header) {
		cut(f, a, "fatbin container", at, n - (file.n - at - header));
		n = file.n - at - header;
		is_cut = true;
	}
	end = at + header + (size_t)n;
	for (size_t p = at + header; p < end;) {
		if (end - p < ENTRY_HEADER) {
			cut(f, a, "fatbin entry header", p, ENTRY_HEADER - (end - p));
			break;
		}
		uint32_t entry_header = elf_le32(file.p + p + 4);
		uint64_t size = elf_le64(file.p + p + 8);
		if (entry_header < ENTRY_HEADER || entry_header > end - p || size > end - p - entry_header) {
			cut(f, a, "fatbin entry", p, size > end - p ? size - (end - p) : entry_header);
			break;
		}
		entry_read(f, a, file, p, section);
		p += entry_header + (size_t)size;
	}
	return is_cut ? 0 : end;
}

void fatbin_read(struct elf_file *f, struct arena *a, struct str bytes, uint64_t from, uint64_t n, struct str section)
{
	struct str file = str_sub(bytes, 0, (size_t)(from + n));
	for (size_t at = (size_t)from; at < file.n && file.n - at >= CONTAINER_HEADER;) {
		if (elf_le32(file.p + at) == MAGIC) {
			at = container(f, a, file, at, section);
			if (!at)
				return;
		} else if (elf_le32(file.p + at) == 0 && at % 4 == 0) {
			at += 4; /* padding between containers */
		} else {
			cut(f, a, "no fatbin container", at, CONTAINER_HEADER);
			return;
		}
	}
}
