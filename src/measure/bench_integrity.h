/* What is done around correctness and times so that an answer that did not come about honestly is seen. */
#ifndef ASSAY_MEASURE_BENCH_INTEGRITY_H
#define ASSAY_MEASURE_BENCH_INTEGRITY_H

#include "measure/bench_state.h"

/* In this order; the second once there is a lab. They do nothing where the battery is left out. ERR_USAGE: --forbid. */
MUST_USE bool bench_battery_open(struct bench_state *s, struct err *e);
void bench_battery_begin(struct bench_state *s);
MUST_USE bool bench_after_correctness(struct bench_state *s, struct err *e);
MUST_USE bool bench_integrity(struct bench_state *s, struct err *e);
bool bench_has_battery(const struct bench_state *s);
void bench_judge(struct bench_state *s); /* the verdict of correctness and integrity so far */
/* bench_options.extra, once the worker has ended. */
MUST_USE bool bench_look_further(struct bench_state *s, struct err *e);
struct json *bench_integrity_json(const struct bench_state *s);
bool bench_has_called(const struct bench_state *s); /* bench_check.c: the candidate, at least once */

#endif
