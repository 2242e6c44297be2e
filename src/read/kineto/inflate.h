/* Deflate streams through ISA-L when the machine has it (Debian: libisal2), else through zlib. Inside read/kineto only. */
#ifndef ASSAY_READ_KINETO_INFLATE_H
#define ASSAY_READ_KINETO_INFLATE_H

#include "base/attr.h"

enum inflate_format { INFLATE_GZIP, INFLATE_RAW };
enum inflate_end { INFLATE_MORE, INFLATE_DONE, INFLATE_DAMAGED };
struct inflate;
/* NULL: out of memory. use_isal false forces zlib. */
struct inflate *inflate_new(enum inflate_format f, bool use_isal);
void inflate_free(struct inflate *z);
bool inflate_is_isal(const struct inflate *z);
/* Takes from *in, writes to *out, moves both on. DONE: one member has ended; call inflate_restart for the next. */
enum inflate_end inflate_run(struct inflate *z, const char **in, size_t *n_in, char **out, size_t *n_out);
void inflate_restart(struct inflate *z);

#endif
