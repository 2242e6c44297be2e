/* The reference documents of a backend (reference/): which groups the first proposal's table must hold, and the items
 * that its template lists. */
#ifndef ASSAY_LOOP_REFERENCE_H
#define ASSAY_LOOP_REFERENCE_H

#include "base/attr.h"

struct reference_item {
	const char *family, *group, *key, *text;
};
/* The i-th group of which the table must hold a row; NULL beyond the last. */
const char *reference_group(const char *backend, size_t i);
/* The i-th item of the backend's documents; NULL beyond the last. */
const struct reference_item *reference_item(const char *backend, size_t i);
const char *reference_files(const char *backend); /* "reference/cuda/{optim,...}.md" */
/* The document that holds an item, below reference/. */
const char *reference_file(const struct reference_item *item);

#endif
