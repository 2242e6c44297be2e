/* Clocks and time stamps. */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include "base/attr.h"

int64_t clock_ns(void);      /* CLOCK_MONOTONIC */
int64_t clock_unix_ns(void); /* CLOCK_REALTIME */
void clock_sleep_ns(int64_t ns);
void clock_utc_compact(char out[17]); /* 20261129T193000Z */
void clock_utc_iso(char out[25]);     /* 2026-11-29T19:30:00.000Z */

#endif
