/* What a binary holds: device images (cubin, PTX, LTO code) of an ELF file or a fatbin container, with kernels,
 * resources and line tables; and of a host object its exported symbols and needed libraries. Pure: bytes to structs,
 * nothing is executed. Everything here is a fact of the bytes: names, comments and notes prove no mechanism. */
#ifndef ASSAY_READ_ELF_ELF_H
#define ASSAY_READ_ELF_ELF_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "base/sha256.h"
#include "read/resource.h"

enum elf_content { ELF_CONTENT_HOST, ELF_CONTENT_CUBIN, ELF_CONTENT_FATBIN, ELF_CONTENT_PTX };
enum elf_image_kind { ELF_IMAGE_CUBIN, ELF_IMAGE_PTX, ELF_IMAGE_LTO, ELF_IMAGE_OTHER };
enum elf_image_flags {
	ELF_LINE_TABLE = 1,  /* .debug_line: SASS or PTX carries source lines */
	ELF_DEBUG_INFO = 2,  /* compiled for a debugger (-G): optimisation was off */
	ELF_RELOCATABLE = 4, /* needs the device linker */
};

struct elf_kernel {
	struct str name; /* mangled */
	bool is_entry;   /* false: a device function with its own section */
	struct resources r;
	uint64_t text_offset; /* of its code in the image; PTX: 0 */
};

struct elf_image {
	enum elf_image_kind kind;
	unsigned flags;
	struct str arch;         /* "sm_90a", "compute_90a" */
	struct str section;      /* host section that holds it: ".nv_fatbin"; empty: the file itself */
	struct str name;         /* the compiler's own label: "dev.cu"; often empty */
	struct str compression;  /* "none", "lz4", "zstd", or what the entry says when the scheme is not known */
	uint64_t offset;         /* of the stored bytes in the file */
	uint64_t stored_bytes;   /* as stored */
	uint64_t bytes;          /* after decompression */
	char sha256[SHA256_HEX]; /* of the decompressed image; empty when it could not be had */
	struct str problem;      /* why it could not be read; empty: it was */
	struct elf_kernel *kernels;
	size_t n_kernels;
	uint64_t global_bytes, constant_bytes; /* module variables in global and in constant memory */
	struct str tool;                       /* "ptxas, Cuda compilation tools, release 13.0, V13.0.88": a note */
	struct str tool_arguments;             /* "-arch sm_90a -m 64": a note */
	uint32_t toolkit;                      /* 130 for 13.0; 0: the file does not say */
	struct str ptx_version;                /* "9.0" */
	struct str ptx_target;                 /* "sm_90a" */
	unsigned abi;                          /* of a cubin: EI_ABIVERSION */
	struct map unmodeled;                  /* records and directives that are not known, at most 64 */
};

struct elf_file {
	enum elf_content content;
	char sha256[SHA256_HEX];
	uint64_t bytes;
	struct str machine; /* "x86-64", "aarch64", "cuda", "machine 8" */
	struct elf_image *images;
	size_t n_images, cap_images;
	struct str problem; /* a container that is cut or broken behind the images above; empty: none */
	struct str *needed; /* host: libraries */
	size_t n_needed;
	struct str *exports; /* host: functions that a loader or linker finds, in file order */
	size_t n_exports;
	struct str soname;
	uint64_t expanded_bytes; /* decompressed so far; images beyond 1 GiB + 64 times the file are not expanded */
};

/* Tells by the first bytes whether this reader is the right one. */
bool elf_is_binary(struct str bytes);
/* `name` is for messages. A file that is none of these, a broken ELF header or no whole image at all: false, with the
 * offset. An image that cannot be read, or a cut container, is kept with its problem. Strings point into `bytes` or live
 * in `a`: keep both. */
MUST_USE bool elf_read(struct elf_file *out, struct arena *a, const char *name, struct str bytes, struct err *e);
/* The decompressed image (cubin, PTX text) of a file that was read from these bytes, appended to out. */
MUST_USE bool elf_image_bytes(struct buf *out, const struct elf_image *image, struct str bytes, struct err *e);
/* NULL when absent. An empty arch matches the first image that has the kernel. */
const struct elf_kernel *elf_find_kernel(const struct elf_file *f, struct str kernel, struct str arch);
/* The exported function `entry` of a shared object: exact (C linkage), else the one C++ function of that name in the
 * global scope. None, or several overloads: false, and the message names what is there. `out` lives in `a`. */
MUST_USE bool elf_find_entry(struct arena *a, const char *path, const char *entry, struct str *out, struct err *e);
/* The same search over names that are already at hand. */
MUST_USE bool elf_entry_among(const struct str *names, size_t n, const char *entry, struct str *out, struct err *e);
const char *elf_image_kind_name(enum elf_image_kind k);
const char *elf_content_name(enum elf_content c);
struct json *elf_json(const struct elf_file *f, struct arena *a);

#endif
