/* Strategy tags and fingerprints (RULES R1.8). A tag in normal form is lower case, spaces are '_', only [a-z0-9_-] is kept;
 * a set of tags is sorted and unique. The fingerprint is over the tags as written: facts/mechanism.h says which of them
 * name a known mechanism, and does not change it. */
#ifndef ASSAY_LOOP_TAGS_H
#define ASSAY_LOOP_TAGS_H

#include "base/json.h"

#define TAGS_MAX 32
#define TAG_LENGTH_MAX 128
#define FINGERPRINT_SIZE 17 /* 16 hex digits and NUL */

struct tags {
	const char *items[TAGS_MAX];
	size_t n;
};

/* Normal form of a tag; "" when nothing is left of it. Cut at TAG_LENGTH_MAX. */
const char *tag_normal(struct arena *a, struct str written);
/* Keeps the set sorted and unique. False: it holds TAGS_MAX already, or the tag is empty. */
bool tags_add(struct tags *t, struct arena *a, struct str written);
bool tags_has(const struct tags *t, const char *tag);
bool tags_subset(const struct tags *part, const struct tags *whole);
/* First 16 hex digits of sha1 over {"backend": "B", "tags": ["a", "b"]}: cutlass with [baseline] is d576b5ea15008131. */
void tags_fingerprint(const struct tags *t, const char *backend, char out[FINGERPRINT_SIZE]);
struct json *tags_json(struct arena *a, const struct tags *t);
void tags_from_json(struct tags *out, struct arena *a, const struct json *list);
const char *tags_text(struct arena *a, const struct tags *t); /* "a, b" */
/* {"tag": "domain.key"} for the tags that the mechanism table knows, by name or alias. */
struct json *tags_mechanisms(struct arena *a, const struct tags *t);
/* Whether both sets name the same mechanisms under other spellings: all tags of both are known and resolve alike. */
bool tags_same_mechanisms(const struct tags *x, const struct tags *y);
bool fingerprint_is_valid(struct str s);

#endif
