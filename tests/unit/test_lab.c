/* The lab with real keeper and workers, on the CPU and on the fake GPU: what a batch leaves in the slots, faults as data,
 * cases laid out again, workers beside each other. */
#include "lab_kit.h"

/* Memory of the GPU cannot be shared. */
static int start_staged(void **state)
{
	return start(state, true, "fail cuMemExportToShareableHandle 0 801 keeper\n");
}

/* Element i of tensor t of a slot. */
static float element(struct fixture *f, size_t slot, size_t t, size_t i)
{
	const struct layout *y = lab_layout(f->lab);
	uint64_t at = y->tensors[t].offset + 4 * i;
	float v = 0;
	int fd = file_memfd("look", y->bytes, &f->e);
	assert_true(fd >= 0);
	if (!keeper_read(lab_keeper(f->lab), slot, at, 4, fd, &f->e))
		fail_with(f);
	assert_int_equal(pread(fd, &v, 4, (off_t)at), 4);
	close(fd);
	return v;
}
/* Inputs are the operator's values, outputs poison before and results after; slots take turns, in-out starts afresh. */
static void slots(void **state)
{
	struct fixture *f = *state;
	struct lab_rows rows;
	struct lab_worker *w = worker_of(f, "time");
	assert_int_equal(lab_n_slots(f->lab), 4);
	struct value_source v = {
		.dtype = DTYPE_F32, .fill = {FILL_NORMAL, 0, 1}, .seed = f->op.cases[0].seed, .tensor = 0};
	float x[N];
	value_fill(&v, 0, N, x);
	assert_true(element(f, 0, 0, 3) == x[3]);
	assert_true(element(f, 2, 0, 3) == x[3]); /* data set 0 again */
	assert_false(element(f, 1, 0, 3) == x[3]);
	assert_true(isnan(element(f, 0, 1, 3)));
	assert_true(element(f, 0, 2, 3) == 5);
	struct lab_batch b = {.n = 6, .first_call = 10, .first_slot = 3, .placement = 7, .block = 8, .side = 1};
	run(f, w, &b, &rows);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(rows.rows[i].call, 10 + i);
		assert_int_equal(rows.rows[i].slot, (3 + i) % 4);
		assert_int_equal(rows.rows[i].placement, 7);
		assert_int_equal(rows.rows[i].block, 8);
		assert_int_equal(rows.rows[i].side, 1);
		assert_true(rows.rows[i].host_ns > 0);
		assert_true(rows.rows[i].span_ns > 0);
	}
	assert_true(rows.wall_ns > 0);
	for (size_t s = 0; s < 4; s++) {
		assert_true(element(f, s, 1, N - 1) == 2 * element(f, s, 0, N - 1));
		assert_true(element(f, s, 2, 0) == 6); /* slots 0 and 3 ran twice */
	}
}

/* Poison before each call, cold or not: what a call does not write is poison again. */
static void poisons(void **state)
{
	struct fixture *f = *state;
	struct lab_rows rows;
	build(f, "first", f->is_gpu ? "cudaMemsetAsync(y, 0, 4);" : "y[0] = 0;");
	struct lab_worker *w = worker_of(f, "time");
	struct lab_batch b = {.n = 4, .flags = WIRE_CALL_POISON | WIRE_CALL_COLD, .pattern = LAB_PATTERN_B};
	int64_t phases[4] = {0, 1000, 2000, 128000};
	b.phases = phases;
	run(f, w, &b, &rows);
	assert_int_equal(rows.rows[3].phase_ns, 128000);
	assert_true(element(f, 1, 1, 0) == 0);
	assert_true(element(f, 1, 1, 1) == 2 * element(f, 1, 0, 1));
	assert_true(lab_refresh(f->lab, 1, LAB_PATTERN_B, &f->e));
	assert_true(element(f, 1, 1, 1) > 1e30f);
	assert_true(element(f, 1, 2, 1) == 5);
}

static void cases(void **state)
{
	struct fixture *f = *state;
	struct lab_rows rows;
	struct lab_worker *w = worker_of(f, "time");
	struct lab_batch b = {.n = 2};
	if (!lab_case(f->lab, 1, &f->e))
		fail_with(f);
	assert_int_equal(lab_n_slots(f->lab), LAB_SEEDS);
	run(f, w, &b, &rows);
	assert_true(element(f, 1, 1, 36) == 2 * element(f, 1, 0, 36));
	assert_false(lab_is_filled(f->lab));
	lab_set_filled(f->lab);
	if (!lab_case(f->lab, 0, &f->e))
		fail_with(f);
	assert_int_equal(lab_n_slots(f->lab), 4);
	b.n = 4;
	run(f, w, &b, &rows);
	assert_true(element(f, 3, 1, N - 1) == 2 * element(f, 3, 0, N - 1));
}

/* The words of the table, who saw it, and the others go on. */
static void faults(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *name, *body, *word, *witness;
	} rows[] = {
		{"segv", "*(volatile int *)8 = 1;", "crash_segv", "parent"},
		{"leaves", "_exit(3);", "exited_early", "parent"},
		{"garbage", "for (int fd = 3; fd < 30; fd++) (void)!write(fd, \"garbage garbage\", 15);",
		 "protocol_error", "parent"},
	};
	struct lab_worker *good = worker_of(f, "time");
	struct lab_batch b = {.n = 2};
	struct lab_rows got;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct lab_fault fault = {.text = ""};
		struct lab_subject right = f->subject;
		build(f, rows[i].name, rows[i].body);
		struct lab_worker *w = worker_of(f, "time");
		assert_int_equal(lab_run(f->lab, w, &b, &got, &fault, &f->e), ASK_FAULT);
		assert_string_equal(verdict_word(fault.verdict), rows[i].word);
		assert_string_equal(fault.witness, rows[i].witness);
		assert_string_equal(fault.mode, "time");
		assert_int_equal(lab_run(f->lab, w, &b, &got, &fault, &f->e), ASK_FAULT); /* and stays so */
		lab_end(f->lab, w);
		f->subject = right;
		run(f, good, &b, &got);
	}
}

static void hang(void **state)
{
	struct fixture *f = *state;
	struct lab_fault fault;
	struct lab_rows got;
	struct lab_batch b = {.n = 2};
	f->options.call_timeout_ns = 300000000;
	lab_free(f->lab);
	f->lab = lab_open(&f->a, &f->op, &f->device, &f->options, &f->e);
	assert_true(f->lab && lab_case(f->lab, 0, &f->e));
	build(f, "hang", "for (;;) pause();");
	struct lab_worker *w = lab_start(f->lab, &f->subject, "time", &f->e);
	assert_non_null(w);
	enum ask_result r = lab_join(f->lab, w, &fault, &f->e);
	if (r == ASK_OK)
		r = lab_run(f->lab, w, &b, &got, &fault, &f->e);
	assert_int_equal(r, ASK_FAULT);
	assert_string_equal(verdict_word(fault.verdict), "hang");
}

static void not_loaded(void **state)
{
	struct fixture *f = *state;
	struct lab_fault fault;
	f->subject.symbol = "not_there";
	struct lab_worker *w = lab_start(f->lab, &f->subject, "time", &f->e);
	assert_non_null(w);
	assert_int_equal(lab_join(f->lab, w, &fault, &f->e), ASK_FAULT);
	assert_string_equal(verdict_word(fault.verdict), "no_entry");
	assert_string_equal(fault.witness, "claim");
}

/* ---- the GPU alone */

static void identity(void **state)
{
	struct fixture *f = *state;
	struct lab_rows rows;
	struct lab_fault fault;
	build(f, "several",
	      "float *t; cudaMalloc(&t, 64); cudaMemsetAsync(y, 0, 0); cudaFree(t); cudaDeviceSynchronize();");
	struct lab_worker *w = worker_of(f, "identity");
	struct lab_batch b = {.n = 2, .first_call = 5};
	run(f, w, &b, &rows);
	assert_int_equal(rows.rows[0].n_launch, 1);
	assert_int_equal(rows.rows[0].n_stream, 1);
	assert_true(rows.rows[0].marks & WIRE_MARK_SYNCED);
	assert_true(rows.rows[0].marks & WIRE_MARK_ALLOCATED);
	size_t n_kernels = 0, n_syncs = 0;
	for (size_t i = 0; i < rows.n_launches; i++) {
		const struct wire_launch *l = &rows.launches[i];
		assert_true(l->i_name < rows.n_names);
		assert_true(l->call == 5 || l->call == 6);
		assert_true(l->end_ns >= l->start_ns && l->start_ns >= 0);
		n_syncs += l->kind == WIRE_LAUNCH_SYNC;
		if (l->kind != WIRE_LAUNCH_KERNEL)
			continue;
		n_kernels++;
		assert_string_equal(rows.names[l->i_name], "_Z5twicePKfPfS1_i");
		assert_int_equal(l->grid[0], 4);
		assert_int_equal(l->block[0], 256);
	}
	assert_int_equal(n_kernels, 2);
	assert_int_equal(n_syncs, 2);
	assert_int_equal(lab_reduce(f->lab, w, &fault, &f->e), ASK_OK);
	run(f, w, &b, &rows);
	assert_int_equal(rows.n_launches, 0);
	assert_int_equal(rows.rows[1].n_launch, 1);
	assert_int_equal(rows.rows[1].marks, 0);
}

/* What each mode measures, with a hold and without. */
static void modes(void **state)
{
	struct fixture *f = *state;
	struct lab_rows rows;
	struct lab_worker *timed = worker_of(f, "time"), *event = worker_of(f, "event"), *plain = worker_of(f, "plain");
	struct lab_batch b = {.n = 3, .flags = WIRE_CALL_COLD | WIRE_CALL_HOLD | WIRE_CALL_POISON};
	run(f, timed, &b, &rows);
	assert_true(rows.rows[2].span_ns == 3200 || rows.rows[2].span_ns == 3168 || rows.rows[2].span_ns == 3232);
	assert_true(rows.rows[2].clock_mhz > 1979 && rows.rows[2].clock_mhz < 1981);
	run(f, event, &b, &rows);
	assert_true(isnan(rows.rows[2].span_ns));
	assert_true(rows.rows[2].event_ns > 4000 && rows.rows[2].event_ns < 400000);
	assert_true(json_f64(lab_facts(event), "empty_pair_ns", 0) > 500);
	assert_true(json_bool(lab_facts(event), "has_hold", false));
	b.flags = 0;
	run(f, plain, &b, &rows);
	assert_true(isnan(rows.rows[2].clock_mhz));
	assert_true(rows.rows[2].wall_ns > 0);
}

static void device_error(void **state)
{
	struct fixture *f = *state;
	struct lab_fault fault;
	struct lab_rows rows;
	struct lab_batch b = {.n = 3};
	kit_conf("sticky_at 2\nsticky_code 700\n");
	struct lab_worker *w = worker_of(f, "time");
	kit_conf("");
	struct lab_worker *other = worker_of(f, "time");
	assert_int_equal(lab_run(f->lab, w, &b, &rows, &fault, &f->e), ASK_FAULT);
	assert_string_equal(verdict_word(fault.verdict), "cuda_error");
	assert_string_equal(fault.witness, "claim");
	assert_non_null(strstr(fault.text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
	run(f, other, &b, &rows); /* another process, another context */
}

/* A case for which the worker's GPU has no address or memory left: assay's own trouble, with its reason. */
static void no_room(void **state)
{
	struct fixture *f = *state;
	struct lab_fault fault;
	kit_conf("fail cuMemMap 2 2 worker\n");
	struct lab_worker *w = lab_start(f->lab, &f->subject, "time", &f->e);
	assert_non_null(w);
	assert_int_equal(lab_join(f->lab, w, &fault, &f->e), ASK_ERR);
	assert_int_equal(f->e.code, ERR_ENVIRONMENT);
	assert_non_null(strstr(f->e.text, "cuMemMap: out of memory"));
}

/* Memory beyond what the machine has is not tried. */
static void too_large(void **state)
{
	struct fixture *f = *state;
	f->op.cases[1].args[0].bytes = f->op.cases[1].args[1].bytes = INT64_C(1) << 40;
	f->op.cases[1].args[0].n_elements = f->op.cases[1].args[1].n_elements = INT64_C(1) << 38;
	assert_false(lab_case(f->lab, 1, &f->e));
	assert_int_equal(f->e.code, ERR_ENVIRONMENT);
	bool is_exported = strcmp(keeper_memory(lab_keeper(f->lab)), "exported") == 0;
	assert_non_null(strstr(f->e.text, is_exported ? "out of memory" : "memory are free"));
}

#define STAGED(f)                                                                                                      \
	{                                                                                                              \
#f " with copies", f, start_staged, stop, NULL                                                         \
	}
#define CPU(f)                                                                                                         \
	{                                                                                                              \
#f " on the CPU", f, start_cpu, stop, NULL                                                             \
	}
#define GPU(f)                                                                                                         \
	{                                                                                                              \
#f " on the GPU", f, start_gpu, stop, NULL                                                             \
	}
int main(int argc, char **argv)
{
	(void)argc;
	kit_start(argv);
	setenv("ASSAY_CACHE_DIR", kit_path("cache"), 1);
	const struct CMUnitTest tests[] = {
		CPU(slots),      GPU(slots),      CPU(poisons),      GPU(poisons),  CPU(cases),        GPU(cases),
		CPU(faults),     GPU(faults),     CPU(hang),         GPU(hang),     GPU(identity),     GPU(modes),
		CPU(not_loaded), GPU(not_loaded), GPU(device_error), GPU(no_room),  CPU(too_large),    GPU(too_large),
		STAGED(slots),   STAGED(poisons), STAGED(cases),     STAGED(modes), STAGED(too_large),
	};
	return kit_end(cmocka_run_group_tests(tests, NULL, NULL));
}
