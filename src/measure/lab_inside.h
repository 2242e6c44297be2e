/* What lab.c and lab_data.c share. */
#ifndef ASSAY_MEASURE_LAB_INSIDE_H
#define ASSAY_MEASURE_LAB_INSIDE_H

#include "measure/lab_data.h"
#include "run/keeper.h"

enum { LAB_MAX_WORKERS = 16 };
enum { LAB_FIRST_EXPECTED = 32, LAB_FIRST_FRESH = 160, LAB_FIRST_CAPTURE = 176 }; /* regions; slots: 0 .. */

struct lab_worker {
	struct lab *lab;
	struct worker *process;
	const struct lab_subject *subject;
	const char *mode, *folder;
	const struct json *facts;
	bool is_ready;
};
enum lab_state { LAB_ABSENT, LAB_LAID_OUT, LAB_FILLED }; /* of a case's expected regions */
struct lab {
	struct arena *arena;
	const struct operator* op;
	struct lab_device device;
	struct lab_options options;
	struct keeper *keeper;
	struct layout layout;
	struct str fills; /* struct wire_refill[] of the layout */
	size_t i_case, n_slots;
	int slot_fds[LAB_MAX_SLOTS];
	size_t slot_set[LAB_MAX_SLOTS]; /* the data set that each slot holds */
	uint64_t slot_seed[LAB_MAX_SLOTS];
	size_t max_captures;
	bool has_capture[LAB_MAX_CAPTURES];
	uint64_t capture_seed[LAB_MAX_CAPTURES];
	uint64_t secret, n_fresh; /* fresh seeds come from them */
	bool is_zeroing;
	struct lab_worker *workers[LAB_MAX_WORKERS];
	bool has_case;
	uint64_t kept_bytes; /* of expected regions */
	enum lab_state expected[OPERATOR_MAX_CASES];
};

struct lab_question {
	const struct wire_message *m;
	int fd;
	enum wire_type expect;
};
MUST_USE enum ask_result lab_ask(struct lab *l, struct lab_worker *w, const struct lab_question *x,
				 struct wire_message *answer, struct err *e);
/* Tells a worker of the current layout and gives it the slots. */
MUST_USE enum ask_result lab_give_case(struct lab *l, struct lab_worker *w, struct err *e);
/* What a question to a worker came to; ASK_FAULT with *fault. */
MUST_USE enum ask_result lab_judge(struct lab *l, struct lab_worker *w, enum ask_result r, struct lab_fault *fault,
				   struct err *e);
struct wire_layout lab_wire_layout(const struct layout *y, size_t number);
/* struct wire_refill[] of a layout, in the lab's arena. */
struct str lab_refills(struct lab *l, const struct layout *y);
void lab_close_slots(struct lab *l);
/* Another operator's cases from now on, parameters as before: what lies in memory is dropped, workers that come later are
 * told at the next lab_case. The first case gets no more slots and captures than others. files, digests: as in
 * lab_options. */
MUST_USE bool lab_turn(struct lab *l, const struct operator* op, const int *files, const char *const *digests,
		       struct err *e);

#endif
