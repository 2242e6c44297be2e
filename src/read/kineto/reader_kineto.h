/* The row of PyTorch traces in the table of readers. */
#ifndef ASSAY_READ_KINETO_READER_KINETO_H
#define ASSAY_READ_KINETO_READER_KINETO_H

#include "read/reader.h"

extern const struct reader reader_kineto;

#endif
