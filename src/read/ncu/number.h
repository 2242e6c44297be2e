/* Numbers as ncu prints them, in both directions. */
#ifndef ASSAY_READ_NCU_NUMBER_H
#define ASSAY_READ_NCU_NUMBER_H

#include "base/buf.h"
#include "read/ncu/ncu.h"

/* Sets kind and number of `out` from a printed cell: "687,967", "57.91", "12 (1; 2; 3)", "no data", "n/a", "", "nan", "inf";
 * anything else becomes a string. factor brings it to the base unit: 1 keeps whole numbers whole. False: no number (a
 * string); "no data", "n/a" and "" are true, without a value. */
bool number_parse(struct ncu_metric *out, struct str cell, double factor);

/* As `LC_ALL=C ncu --page raw --print-units base`: whole numbers without a point, others with two decimals; "no data" where
 * there is neither value nor instance. */
void number_put(struct buf *out, const struct ncu_metric *m);
void number_put_real(struct buf *out, double v);

#endif
