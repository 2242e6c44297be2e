/* JSON: a reader that keeps the text of numbers and refuses what is ambiguous, and a tree that is written with sorted
 * keys, doubles in Python's repr form and exact integers. Up to 16 MiB; what can be larger is streamed by its reader. */
#ifndef ASSAY_BASE_JSON_H
#define ASSAY_BASE_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_INT, JSON_UINT, JSON_REAL, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json;
struct json_member {
	struct str key;
	struct json *value;
};
struct json {
	enum json_type type;
	bool boolean;
	int64_t i;       /* JSON_INT: fits int64 */
	uint64_t u;      /* JSON_UINT: above INT64_MAX */
	double real;     /* JSON_REAL; also set for INT and UINT (rounded) */
	struct str text; /* JSON_STRING: decoded; numbers that were read: their source text */
	struct json **items;
	struct json_member *members; /* in source or insertion order */
	size_t n, cap;
	struct arena *arena;
};

enum json_flags {
	JSON_STRICT = 0,
	JSON_ALLOW_NAN = 1,        /* NaN, Infinity, -Infinity as Python writes them */
	JSON_ALLOW_DUPLICATES = 2, /* first one kept */
	JSON_LARGE = 4,            /* up to 1 GiB: records of ours */
};

/* Parses one whole document; trailing bytes other than white space are an error. Depth limit 128. Duplicate keys,
 * invalid UTF-8, lone surrogates and control bytes in strings are refused. `name` is used in messages
 * ("request.json: line 3 column 7: duplicate key \"a\""). Integers outside int64/uint64 become JSON_REAL with their
 * text kept; what no double can hold (1e999) is refused, infinity with JSON_ALLOW_NAN. Strings are NUL-terminated. */
MUST_USE struct json *json_parse(struct arena *a, const char *name, struct str text, unsigned flags, struct err *e);
MUST_USE struct json *json_read_file(struct arena *a, const char *path, unsigned flags, struct err *e);

/* Lookups: NULL / fallback when absent or of another type; `j` may be NULL. */
struct json *json_get(const struct json *j, const char *key);
struct json *json_find(const struct json *j, struct str key); /* json_get for keys that are not terminated */
struct json *json_at(const struct json *j, size_t i);
struct json *json_path(const struct json *j, const char *path); /* "kernel.median_ms"; array indexes as numbers */
struct str json_str(const struct json *j, const char *key, struct str fallback);
int64_t json_i64(const struct json *j, const char *key, int64_t fallback);
double json_f64(const struct json *j, const char *key, double fallback);
bool json_bool(const struct json *j, const char *key, bool fallback);
bool json_is_number(const struct json *j);

/* Building. Values live in the arena of the object or array they are made in. */
struct json *json_object(struct arena *a);
struct json *json_array(struct arena *a);
struct json *json_new_str(struct arena *a, struct str s);
struct json *json_new_i64(struct arena *a, int64_t v);
struct json *json_new_u64(struct arena *a, uint64_t v);
struct json *json_new_f64(struct arena *a, double v); /* not finite: becomes null (no NaN in our files) */
struct json *json_new_bool(struct arena *a, bool v);
struct json *json_new_null(struct arena *a);
void json_set(struct json *obj, const char *key, struct json *value); /* inserts or replaces */
void json_put(struct json *obj, struct str key, struct json *value);  /* json_set for keys that are not terminated */
void json_push(struct json *array, struct json *value);
/* Shorthands. json_set_cstr with NULL stores null. */
void json_set_str(struct json *obj, const char *key, struct str s);
void json_set_cstr(struct json *obj, const char *key, const char *s);
void json_set_i64(struct json *obj, const char *key, int64_t v);
void json_set_u64(struct json *obj, const char *key, uint64_t v);
void json_set_f64(struct json *obj, const char *key, double v);
void json_set_bool(struct json *obj, const char *key, bool v);
void json_set_null(struct json *obj, const char *key);
struct json *json_set_object(struct json *obj, const char *key); /* makes, sets and returns a new object */
struct json *json_set_array(struct json *obj, const char *key);
void json_push_str(struct json *array, struct str s);
void json_push_f64(struct json *array, double v);
void json_push_i64(struct json *array, int64_t v);

enum json_style {
	JSON_COMPACT, /* {"a":1,"b":[1,2]} */
	JSON_PRETTY,  /* two spaces, a newline at the end; arrays of plain numbers on one line */
	JSON_PYTHON,  /* as Python's json.dumps(sort_keys=True): ", " and ": ", non-ASCII escaped */
};
void json_write(struct buf *out, const struct json *j, enum json_style style); /* keys sorted bytewise */
/* Shortest decimal that reads back as v, in Python's repr form (0.1, 1e-05, 1e+16, 100000.0). At least 32 bytes. */
size_t json_repr(char out[32], double v);

#endif
