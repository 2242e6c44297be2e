/* Trees: a folder or a single file frozen into the store. The tree itself (trees/ab/cdef...) is the manifest in the published
 * cuda-kernel-optimizer/object-manifest-v1 form (canonical JSON, no newline), so its digest is the published one:
 * {entries: [{path, kind: "directory", mode} | {path, kind: "file", mode, size_bytes, sha256}], file_count,
 * format_version, source_kind: "directory" | "file", total_bytes}; depth first, names sorted bytewise within a folder,
 * a folder before what is in it; mode = permission bits; set-id and sticky bits are dropped. A single file stands under
 * its base name. Symlinks and special files are refused, with their path. */
#ifndef ASSAY_STORE_TREE_H
#define ASSAY_STORE_TREE_H

#include "store/object.h"

#define TREE_FORMAT "cuda-kernel-optimizer/object-manifest-v1"
#define TREE_MAX_MANIFEST (16u << 20) /* bytes, as published */

struct tree_limits {
	uint64_t max_files;        /* 0: 100,000; the manifest ends at 16 MiB in any case */
	uint64_t max_bytes;        /* 0: 1 TiB */
	uint32_t max_depth;        /* 0: 64 folders deep */
	const char *const *ignore; /* base names to leave out (".git", "__pycache__"); NULL-terminated; NULL: none */
};
struct tree {
	char digest[SHA256_HEX];
	uint64_t n_files, n_bytes;
};

/* Freezes what is at `path`. A file that changes while it is read is an error. Files are written first, flushed
 * together, linked, and the manifest is published last, so a crash never leaves a tree without its files. */
MUST_USE bool tree_freeze(struct store *s, const char *path, const struct tree_limits *limits, struct tree *out,
			  struct err *e);
/* The digest alone, without writing: the same as freezing would give. */
MUST_USE bool tree_digest(const char *path, const struct tree_limits *limits, struct tree *out, struct err *e);
/* tree_digest, and the manifest itself: its bytes are added to `manifest`. */
MUST_USE bool tree_manifest(const char *path, const struct tree_limits *limits, struct tree *out, struct buf *manifest,
			    struct err *e);
/* tree_manifest, and a copy of it all: in one pass, what is hashed is what is written into `to`, a new folder (a single file
 * under its base name). Not flushed. What a failure leaves in `to` is the caller's to remove. */
struct tree_copy {
	const char *to;
	struct tree *out;
	struct buf *manifest; /* NULL: not wanted */
};
MUST_USE bool tree_capture(const char *path, const struct tree_limits *limits, const struct tree_copy *copy,
			   struct err *e);
/* Writes the tree into `path`, which must be absent or an empty folder; every file is hashed on the way. Not flushed to the
 * disk: what is materialised can be made again. */
MUST_USE bool tree_materialise(struct store *s, const char *digest, const char *path, struct err *e);

struct tree_entry {
	const char *path; /* relative, no "..", checked */
	uint32_t mode;
	bool is_folder;
	uint64_t n_bytes;
	const char *sha256; /* NULL for a folder */
};
/* Reads and checks a manifest (hostile input: paths, order, digests, sums). */
MUST_USE bool tree_read(struct store *s, struct arena *a, const char *digest, struct tree_entry **out, size_t *n,
			struct err *e);
MUST_USE bool tree_parse(struct arena *a, const char *name, struct str text, struct tree_entry **out, size_t *n,
			 struct err *e);

#endif
