/* Column files: the raw samples of a trial. 24 bytes {"ASSAYCOL", u32 version = 1, u32 zero, u64 header bytes}, a JSON
 * header padded with spaces to a multiple of 8, then each column, little-endian, padded with zeros to a multiple of 8;
 * nothing after that. Header: {"format": "assay/trial-v1", "columns": [{"name", "type", "unit", "optional"}...],
 * "n_rows": N, ...free metadata}. Described in docs/FORMATS.md; tools/read_trial.py reads it with `struct` alone.
 * No digest inside: the file's name in the store is its sha256. */
#ifndef ASSAY_STORE_COLUMN_H
#define ASSAY_STORE_COLUMN_H

#include "store/object.h"

#define COLUMN_MAX_COLUMNS 256
#define COLUMN_MAX_HEADER (1u << 24)

/* id, name in the header, bytes, what stands for "missing" in an optional column */
#define COLUMN_TYPES(X)                                                                                                \
	X(U8, "u8", 1, "255")                                                                                          \
	X(U32, "u32", 4, "4294967295")                                                                                 \
	X(I64, "i64", 8, "-9223372036854775808")                                                                       \
	X(F64, "f64", 8, "NaN")
enum column_type {
#define COLUMN_X(id, name, bytes, missing) COLUMN_##id,
	COLUMN_TYPES(COLUMN_X)
#undef COLUMN_X
		COLUMN_TYPES_COUNT
};

struct column {
	const char *name; /* [a-z0-9_]+, unique in the file, at most 64 bytes */
	const char *unit; /* "ns", "mhz", "1", ... */
	enum column_type type;
	bool is_optional; /* some rows may hold the type's missing value */
	const void *data; /* n_rows values, aligned for the type */
};
struct column_file {
	struct json *header; /* the whole header, with the free metadata */
	uint64_t n_rows;
	size_t n_columns;
	struct column *columns; /* data points into the bytes that were parsed */
};

/* Appends the whole file to `out`. `meta` is an object whose members go into the header (NULL: none); format, columns
 * and n_rows are set here and must not be in it. ERR_INPUT for a bad name or a value that the header cannot hold. */
MUST_USE bool column_encode(struct buf *out, const struct column *columns, size_t n_columns, uint64_t n_rows,
			    const struct json *meta, struct err *e);
/* Checks everything against n and gives typed pointers into p, which must be 8-byte aligned and outlive `out`. Hostile
 * input is expected; `name` is for messages. */
MUST_USE bool column_parse(struct column_file *out, struct arena *a, const char *name, struct str bytes, struct err *e);

/* Encode and publish; parse what the store holds under `digest` (the map must stay until the file is done with). */
/* For column_publish `header` is the metadata and may be NULL. */
MUST_USE bool column_publish(struct store *s, const struct column_file *f, char digest[SHA256_HEX], struct err *e);
MUST_USE bool column_open(struct store *s, struct arena *a, const char *digest, struct file_map *map,
			  struct column_file *out, struct err *e);

/* The column of that name; NULL when absent, and for the typed ones when of another type. With n_rows 0 the pointer may
 * be at the end of the bytes: not NULL, not to be read. */
const struct column *column_find(const struct column_file *f, const char *name);
const double *column_f64(const struct column_file *f, const char *name);
const int64_t *column_i64(const struct column_file *f, const char *name);
const uint32_t *column_u32(const struct column_file *f, const char *name);
const uint8_t *column_u8(const struct column_file *f, const char *name);
const char *column_type_name(enum column_type t);
size_t column_type_bytes(enum column_type t);

#endif
