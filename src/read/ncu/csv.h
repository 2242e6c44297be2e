/* `ncu --csv`: raw page (wide) and details page (long), saved or as printed while the program runs. */
#ifndef ASSAY_READ_NCU_CSV_H
#define ASSAY_READ_NCU_CSV_H

#include "read/ncu/ncu.h"

/* A line that begins with "ID", stands somewhere in the first 1 MiB. */
bool csv_is_export(struct str text);
/* Reads r->bytes into r. Scaled units become base units (the value keeps the printed precision); lines that are no rows
 * are skipped. A missing key column, an unknown unit of a metric with a semantic id, or a value there that is no number is
 * an error with its name. */
MUST_USE bool csv_read(struct ncu_report *r, struct err *e);

#endif
