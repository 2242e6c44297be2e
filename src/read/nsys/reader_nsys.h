/* The row of Nsight Systems exports in the table of readers. */
#ifndef ASSAY_READ_NSYS_READER_NSYS_H
#define ASSAY_READ_NSYS_READER_NSYS_H

#include "read/reader.h"

extern const struct reader reader_nsys;

#endif
