/* What the files of store/ share and nobody else sees: the store's folders, and publishing into one of them. */
#ifndef ASSAY_STORE_INSIDE_H
#define ASSAY_STORE_INSIDE_H

#include "store/draft.h"
#include "store/object.h"

enum store_area { STORE_AREA_OBJECTS, STORE_AREA_TREES, STORE_AREA_RECORDS, STORE_AREA_COUNT };
struct store_place {
	int fd;
	const char *shown; /* its path */
};
struct store {
	struct arena arena;
	char *root;
	int root_fd;
	struct store_place area[STORE_AREA_COUNT];
};
enum inside_state { INSIDE_ABSENT, INSIDE_SAME, INSIDE_OTHER };
struct inside_source {
	const char *name;
	uint64_t max_bytes;
};

bool digest_is_valid(const char *digest); /* 64 lower-case hexadecimal digits */
char *inside_path(struct arena *a, const struct store *s, enum store_area area, const char *digest);
/* INSIDE_OTHER sets ERR_CORRUPT. */
enum inside_state inside_compare(struct store *s, enum store_area area, const char *digest, struct str bytes,
				 struct err *e);
MUST_USE bool inside_publish(struct store *s, enum store_area area, struct str bytes, char digest[SHA256_HEX],
			     struct err *e);
MUST_USE bool inside_read(struct store *s, enum store_area area, const char *digest, struct file_map *out,
			  struct err *e);
/* Links a flushed draft under its digest and flushes the folders; the draft is gone in every case. */
MUST_USE bool inside_link(struct store *s, enum store_area area, struct draft *d, const char *digest, struct err *e);
/* Reads fd to its end into the draft (NULL: only hashes). */
MUST_USE bool inside_copy(struct draft *d, int fd, const struct inside_source *from, char digest[SHA256_HEX],
			  uint64_t *n, struct err *e);
bool record_id_is_valid(const char *id, size_t *n_kind); /* KIND-<32 hex>; n_kind: bytes of KIND */
void record_id_of(const char *kind, struct str bytes, char id[STORE_ID_MAX]);

#endif
