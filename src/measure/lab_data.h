/* What the lab's slots hold. A data set is a seed of the case's fills:
 *
 *   public   0 .. LAB_SEEDS - 1: seeds of the operator; answers are cached from run to run
 *   fresh    a seed that is drawn when the set is put into a slot, so that no call has met it and nobody can know it.
 *            Which of the calls on fresh sets are checked is decided after they were made: a capture keeps a slot as a call
 *            left it, and its answer is computed at the end
 *
 * The keeper fills slots; a worker that is frozen meanwhile cannot begin before it is asked. */
#ifndef ASSAY_MEASURE_LAB_DATA_H
#define ASSAY_MEASURE_LAB_DATA_H

#include "measure/lab.h"

#define LAB_MAX_CAPTURES 14
#define LAB_SETS (LAB_SEEDS + LAB_MAX_CAPTURES) /* LAB_SEEDS + i is the set of capture i */
#define LAB_FRESH SIZE_MAX

struct lab_put {
	size_t slot, set; /* a public set, a capture's, or LAB_FRESH */
};
/* Inputs of the set's seed, outputs of the pattern, guards anew. At most LAB_MAX_SLOTS. */
MUST_USE bool lab_put(struct lab *l, const struct lab_put *what, size_t n, uint64_t pattern, struct err *e);
/* All slots back to the public sets, slot % LAB_SEEDS: what a worker restores in-out tensors to. */
MUST_USE bool lab_settle(struct lab *l, uint64_t pattern, struct err *e);
/* The slot in new memory, mapped anew: other addresses on both sides. Holds the same set; in other workers the slot is
 * what it was. */
MUST_USE enum ask_result lab_move_slot(struct lab *l, struct lab_worker *w, size_t slot, struct lab_fault *fault,
				       struct err *e);
bool lab_can_refresh(const struct lab *l); /* false: setup() supplies the data, there are no fresh sets */
size_t lab_set_of(const struct lab *l, size_t slot);
uint64_t lab_set_seed(const struct lab *l, size_t set);

struct lab_capture {
	size_t slot, i_capture;
};
size_t lab_max_captures(const struct lab *l); /* that fit into memory; 0 in other cases than the first */
/* Copies of slots, in this order. A capture that is there is overwritten. */
MUST_USE bool lab_capture(struct lab *l, const struct lab_capture *what, size_t n, struct err *e);
size_t lab_capture_region(size_t i_capture);
/* Expected regions for these captures, inputs filled: reference_fresh puts the answers there. */
MUST_USE bool lab_expect_fresh(struct lab *l, const size_t *i_capture, size_t n, struct err *e);
void lab_share_fresh(struct lab *to, const struct lab *from); /* the same seeds in both */

bool lab_freeze(struct lab_worker *w); /* stops it until it is asked again, see worker_freeze */
void lab_thaw(struct lab_worker *w);
bool lab_is_host(const struct lab *l);    /* backend c */
double lab_l2_bytes(const struct lab *l); /* of the GPU; 0: not known */
uint64_t lab_random(void);                /* from the kernel */
/* From now on outputs are zero where they would be poisoned: for candidates that add to what is there. */
void lab_zero_outputs(struct lab *l);
uint64_t lab_pattern(const struct lab *l, uint64_t wanted);

#endif
