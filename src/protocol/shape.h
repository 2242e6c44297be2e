/* Closed JSON objects: which members there must and may be, and of which type. A member that is missing, unknown or of another
 * type is an error that names its place. */
#ifndef ASSAY_PROTOCOL_SHAPE_H
#define ASSAY_PROTOCOL_SHAPE_H

#include "base/json.h"

/* `members`: words "name:t", "?name:t" for one that may be missing. t: s string, not empty; n number (never a truth value);
 * i whole number; b truth value; o object; a array; S array of non-empty strings; z string or null; x anything. */
MUST_USE bool shape_check(const struct json *j, const char *where, const char *members, struct err *e);
/* A string of at most `most` bytes. */
MUST_USE bool shape_text(const struct json *j, const char *where, const char *key, size_t most, struct err *e);
/* One of a bar list, "lower|higher". */
MUST_USE bool shape_word(const struct json *j, const char *where, const char *key, const char *words, struct err *e);
/* A number with least <= x (open: least < x) and x <= most. */
struct shape_range {
	double least, most;
	bool is_open; /* least itself is not allowed */
};
MUST_USE bool shape_number(const struct json *j, const char *where, const char *key, struct shape_range r,
			   struct err *e);
/* An array of strings without a repetition, at least n_min of them. */
MUST_USE bool shape_names(const struct json *array, const char *where, size_t n_min, struct err *e);
bool shape_same(const struct json *a, const struct json *b); /* the same canonical JSON; 1 and 1.0 differ */
bool shape_holds(const struct json *array, struct str word); /* an array of strings with this one in it */
/* {id, sha256} and the like: an object of exactly these two strings; sha256 is 64 hex digits. */
MUST_USE bool shape_ref(const struct json *j, const char *where, const char *id_key, struct err *e);
/* No string and no key holds U+0000: what C takes for the end is not what was written. */
MUST_USE bool shape_texts(const struct json *j, struct err *e);
struct json *shape_copy(struct arena *a, const struct json *j); /* a deep copy */

#endif
