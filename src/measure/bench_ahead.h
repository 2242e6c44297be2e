/* bench_check.c: what of a bench is started while the data are described. */
#ifndef ASSAY_MEASURE_BENCH_AHEAD_H
#define ASSAY_MEASURE_BENCH_AHEAD_H

#include "measure/bench_state.h"

struct guest;
/* While a setup() runs: the candidate's interpreters start and import. bench_await_ahead: they are done, nothing loads a CPU. */
MUST_USE bool bench_start_ahead(void *state, struct guest *guest, struct err *e);
void bench_await_ahead(struct bench_state *s);

#endif
