/* Texts of one column that are too long: shortened so that what differs goes on differing. Inside base only. */
#ifndef ASSAY_BASE_TERM_SHORTEN_H
#define ASSAY_BASE_TERM_SHORTEN_H

#include "base/arena.h"

/* Shortens text[0, n) to `width` columns (8 or more) where it is wider. A text ends in "..."; of texts that would come out
 * alike though they differ, the beginning and the part that tells them apart are kept ("void at::...CUDAFunctor_add<..."),
 * and a number ("name...~2") where no part of that width does. Texts with escapes are cut at the end only. */
void term_shorten(struct str *text, size_t n, size_t width, struct arena *a);

#endif
