/* What this program is: for `assay --version --verbose`. */
#ifndef ASSAY_VERB_ABOUT_H
#define ASSAY_VERB_ABOUT_H

#include "base/json.h"
#include "base/term.h"

/* assay/about-v1: version, commit, compiler, flags, libraries that are linked in, the least glibc, and what of the sandbox this
 * kernel allows (a child that ends at once tries it). No date: the same source and tools give the same bytes. */
struct json *about_json(struct arena *a);
void about_text(const struct json *about, const struct term *term, struct buf *out);

#endif
