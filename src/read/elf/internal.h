/* Inside read/elf only. */
#ifndef ASSAY_READ_ELF_INTERNAL_H
#define ASSAY_READ_ELF_INTERNAL_H

#include "read/elf/elf.h"

#define ELF_MACHINE_CUDA 190u
/* Largest image that is decompressed; a module of PyTorch's largest library has 60 MB. */
#define ELF_MAX_IMAGE ((uint64_t)512 << 20)
#define ELF_MAX_EXPANDED ((uint64_t)1 << 30)
#define ELF_MAX_IMAGES ((size_t)65536)

/* Little-endian loads; the caller has checked the range. */
uint16_t elf_le16(const char *p);
uint32_t elf_le32(const char *p);
uint64_t elf_le64(const char *p);

/* Appends one LZ4 block, decompressed, to out; false when it is malformed or gives another size than `bytes`. */
MUST_USE bool lz4_block(struct buf *out, struct str in, uint64_t bytes);

/* A zeroed image at the end of f->images; NULL when there are too many. */
struct elf_image *elf_add_image(struct elf_file *f, struct arena *a);
/* Walks the containers in bytes[from, from + n) of the file and adds their entries; what is wrong goes into f->problem. */
void fatbin_read(struct elf_file *f, struct arena *a, struct str bytes, uint64_t from, uint64_t n, struct str section);
void elf_unmodeled(struct elf_image *image, struct arena *a, const char *kind, struct str what);
/* Parses one device ELF or PTX text into an image whose storage fields are set. False: image->problem says why. */
bool cubin_read(struct elf_image *image, struct arena *a, struct str bytes);
bool ptx_read(struct elf_image *image, struct arena *a, struct str text);
/* A host ELF: symbols, libraries, containers. */
MUST_USE bool host_read(struct elf_file *f, struct arena *a, const char *name, struct str bytes, struct err *e);

/* sections of any ELF through libelf */
struct elf_section {
	struct str name;
	uint64_t type, flags, offset, size, entry_size;
	uint32_t link, info;
	struct str data; /* empty for SHT_NOBITS */
};
struct elf_sections {
	struct elf_section *v; /* [0] is the null section */
	size_t n;
	unsigned machine, type, flags, version, abi, abi_version;
	bool is_64;
};
/* Every section in range of the file, or false with a one-line reason in *problem. */
MUST_USE bool elf_sections_read(struct elf_sections *out, struct arena *a, struct str bytes, struct str *problem);

#endif
