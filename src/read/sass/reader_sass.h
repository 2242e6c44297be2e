/* The row of SASS listings in the table of readers. */
#ifndef ASSAY_READ_SASS_READER_SASS_H
#define ASSAY_READ_SASS_READER_SASS_H

#include "read/reader.h"

extern const struct reader reader_sass;

#endif
