/* What json_read.c needs of json_tree.c beyond json.h. Other files use json.h only. */
#ifndef ASSAY_BASE_JSON_TREE_H
#define ASSAY_BASE_JSON_TREE_H

#include "base/json.h"

struct json *json_new(struct arena *a, enum json_type type);
/* Appends without copying the key, which must live in obj's arena; false when the key is already there. */
bool json_add_member(struct json *obj, struct str key, struct json *value);

#endif
