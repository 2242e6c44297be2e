/* The container of a .ncu-rep: header, blocks, entries (file version 7). */
#ifndef ASSAY_READ_NCU_CONTAINER_H
#define ASSAY_READ_NCU_CONTAINER_H

#include "read/ncu/ncu.h"

/* Reads r->bytes into r. Damage after the first whole result is noted in r->damage; before it, an error. */
MUST_USE bool container_read(struct ncu_report *r, struct err *e);

#endif
