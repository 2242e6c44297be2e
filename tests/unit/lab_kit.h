/* A lab with a real keeper and workers, for one small operator, on the CPU or the fake GPU. */
#ifndef ASSAY_TESTS_LAB_KIT_H
#define ASSAY_TESTS_LAB_KIT_H

#include "fake_kit.h"
#include "lab_sources.h"

#include <math.h>

#include "base/file.h"
#include "build/build.h"
#include "gpu/values.h"
#include "measure/lab.h"
#include "run/keeper.h"
#include "wire/link.h"

enum { N = 1000 };
struct fixture {
	struct arena a;
	struct operator op;
	struct lab_device device;
	struct lab_options options;
	struct lab_subject subject;
	struct lab *lab;
	struct err e;
	bool is_gpu;
};

__attribute__((unused)) static void fail_with(struct fixture *f)
{
	fail_msg("%s", f->e.text);
}

/* Writes and builds a kernel of that name; the subject is it. */
__attribute__((unused)) static void build(struct fixture *f, const char *name, const char *body)
{
	const char *source = arena_printf(&f->a, "%s%s", name, f->is_gpu ? ".cu" : ".c");
	struct buf text;
	buf_init(&text);
	for (const char *p = f->is_gpu ? cu_kernel : c_kernel; *p; p++) {
		if (p[0] == '%' && p[1] == 's') {
			buf_puts(&text, body);
			p++;
		} else {
			buf_char(&text, *p);
		}
	}
	kit_text(source, text.p);
	buf_release(&text);
	const char *path = arena_strdup(&f->a, kit_path(source));
	struct build_options o = {.source = path,
				  .language = f->is_gpu ? BUILD_CUDA : BUILD_C,
				  .entry = "solve",
				  .sm = 90,
				  .nvcc = arena_printf(&f->a, "%s/fake/nvcc", kit_build),
				  .folder = kit_path("build"),
				  .name = name};
	struct artifact x = {.message = ""};
	if (!build_make(&x, &f->a, &o, &f->e) || x.result != BUILD_OK)
		fail_msg("%s%s", f->e.text, x.message ? x.message : "");
	f->subject = (struct lab_subject){.name = name, .library = x.library, .symbol = x.symbol};
}

__attribute__((unused)) static void open_operator(struct fixture *f)
{
	const char *source = f->is_gpu ? "right.cu" : "right.c";
	kit_text("scale.op.json", op_file);
	build(f, "right", "");
	struct operator_input in = {.path = arena_strdup(&f->a, kit_path(source)),
				    .op_file = arena_strdup(&f->a, kit_path("scale.op.json")),
				    .seed = 42,
				    .flags = OPERATOR_NO_SEARCH};
	if (!operator_read(&f->op, &f->a, &in, &f->e))
		fail_with(f);
}

__attribute__((unused)) static int start(void **state, bool is_gpu, const char *keeper_conf)
{
	struct fixture *f = calloc(1, sizeof(*f));
	if (!f)
		return -1;
	f->is_gpu = is_gpu;
	arena_init(&f->a);
	kit_conf("");
	*state = f;
	f->device = is_gpu ? (struct lab_device){.backend = "cuda",
						 .gpu = "GPU-fa4e0000-0000-0000-0000-000000000000",
						 .name = "Fake GPU",
						 .sm = 90}
			   : (struct lab_device){.backend = "c", .name = "CPU"};
	const char *scratch = arena_strdup(&f->a, kit_path("scratch"));
	f->options = (struct lab_options){
		.program = kit_program, .folder = scratch, .call_timeout_ns = INT64_C(20000000000), .n_slots = 4};
	if (!file_mkdirs(scratch, 0700, &f->e))
		return -1;
	open_operator(f);
	kit_conf(keeper_conf);
	f->lab = lab_open(&f->a, &f->op, &f->device, &f->options, &f->e);
	bool is_open = f->lab && lab_case(f->lab, 0, &f->e);
	kit_conf(""); /* for the workers */
	if (!is_open) {
		fprintf(stderr, "%s\n", f->e.text);
		return -1;
	}
	return 0;
}

__attribute__((unused)) static int start_cpu(void **state)
{
	return start(state, false, "");
}

__attribute__((unused)) static int start_gpu(void **state)
{
	return start(state, true, "");
}

__attribute__((unused)) static int stop(void **state)
{
	struct fixture *f = *state;
	lab_free(f->lab);
	arena_release(&f->a);
	bool ok = file_remove_tree(kit_path("scratch"), &f->e);
	free(f);
	return ok ? 0 : -1;
}

__attribute__((unused)) static struct lab_worker *worker_of(struct fixture *f, const char *mode)
{
	struct lab_fault fault;
	struct lab_worker *w = lab_start(f->lab, &f->subject, mode, &f->e);
	if (!w)
		fail_with(f);
	enum ask_result r = lab_join(f->lab, w, &fault, &f->e);
	if (r != ASK_OK)
		fail_msg("%s", r == ASK_FAULT ? fault.text : f->e.text);
	return w;
}

__attribute__((unused)) static void run(struct fixture *f, struct lab_worker *w, const struct lab_batch *b,
					struct lab_rows *rows)
{
	struct lab_fault fault;
	enum ask_result r = lab_run(f->lab, w, b, rows, &fault, &f->e);
	if (r != ASK_OK)
		fail_msg("%s", r == ASK_FAULT ? fault.text : f->e.text);
	assert_int_equal(rows->n, b->n);
}

#endif
