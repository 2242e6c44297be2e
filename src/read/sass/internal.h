/* Inside read/sass only. */
#ifndef ASSAY_READ_SASS_INTERNAL_H
#define ASSAY_READ_SASS_INTERNAL_H

#include "read/sass/sass.h"

/* Sets class, space and width of a row from its name. */
void opcode_classify(struct sass_opcode *o);
/* The part before the first '.'. */
struct str opcode_base(struct str name);
/* Whether one of the parts behind the first '.' is this one. */
bool opcode_has_modifier(struct str name, struct str modifier);
/* 90 from "sm_90a" or "SM90", 0 when there is no number. */
unsigned opcode_sm(struct str arch);

/* Matches every pattern of signature.def against the distinct opcodes of the listing, once. */
void signatures_build(struct sass_listing *l, struct arena *a, const struct sass_opcode *words, size_t n_words);

#endif
