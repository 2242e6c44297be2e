/* The row of compiler logs in the table of readers. */
#ifndef ASSAY_READ_PTXAS_READER_PTXAS_H
#define ASSAY_READ_PTXAS_READER_PTXAS_H

#include "read/reader.h"

extern const struct reader reader_ptxas;

#endif
