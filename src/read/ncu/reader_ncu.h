/* The row of Nsight Compute reports in the table of readers. */
#ifndef ASSAY_READ_NCU_READER_NCU_H
#define ASSAY_READ_NCU_READER_NCU_H

#include "read/reader.h"

extern const struct reader reader_ncu;

#endif
