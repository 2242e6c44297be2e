/* The row of compute-sanitizer output in the table of readers. */
#ifndef ASSAY_READ_SANITIZER_READER_SANITIZER_H
#define ASSAY_READ_SANITIZER_READER_SANITIZER_H

#include "read/reader.h"

extern const struct reader reader_sanitizer;

#endif
