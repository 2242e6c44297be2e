/* The reference documents of a backend (reference/): which groups the first proposal's table must hold, and the items
 * that its template lists. */
#ifndef ASSAY_LOOP_GUIDE_H
#define ASSAY_LOOP_GUIDE_H

#include "base/attr.h"

struct guide_item {
	const char *family, *group, *key, *text;
};
/* The i-th group of which the table must hold a row; NULL beyond the last. */
const char *guide_group(const char *backend, size_t i);
/* The i-th item of the backend's documents; NULL beyond the last. */
const struct guide_item *guide_item(const char *backend, size_t i);
const char *guide_files(const char *backend); /* "reference/cuda/{optim,...}.md" */
/* The document that holds an item, below reference/. */
const char *guide_file(const struct guide_item *item);

#endif
