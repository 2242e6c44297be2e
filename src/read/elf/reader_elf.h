/* The row of binaries in the table of readers. */
#ifndef ASSAY_READ_ELF_READER_ELF_H
#define ASSAY_READ_ELF_READER_ELF_H

#include "read/reader.h"

extern const struct reader reader_elf;

#endif
