/* The lab with real keeper and workers, on the CPU and on the fake GPU: what a batch leaves in the slots, what rows and
 * launches say, faults as data, cases laid out again, workers beside each other. */
#include "fake_kit.h"

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

static const char op_file[] =
	"{\"format\": \"assay/operator-v1\", \"params\": ["
	"{\"name\": \"x\", \"role\": \"in\", \"dtype\": \"float32\", \"shape\": [\"N\"], \"fill\": {\"kind\": "
	"\"normal\", "
	"\"mean\": 0, \"std\": 1}},"
	"{\"name\": \"y\", \"role\": \"out\", \"dtype\": \"float32\", \"shape\": [\"N\"]},"
	"{\"name\": \"z\", \"role\": \"inout\", \"dtype\": \"float32\", \"shape\": [\"N\"], \"fill\": {\"kind\": "
	"\"const\", \"value\": 5}},"
	"{\"name\": \"N\", \"role\": \"dim\", \"dtype\": \"int32\"}],"
	"\"cases\": [{\"name\": \"large\", \"dims\": {\"N\": 1000}}, {\"name\": \"odd\", \"dims\": {\"N\": 37}}]}";

/* y = 2 x, z += 1; BODY is what a test adds. */
static const char c_kernel[] = "#include <stdlib.h>\n#include <unistd.h>\n"
			       "void solve(const float *x, float *y, float *z, int N)\n{\n"
			       "\tfor (int i = 0; i < N; i++) {\n\t\ty[i] = 2 * x[i];\n\t\tz[i] += 1;\n\t}\n\t%s\n}\n";
static const char cu_kernel[] = "#include <cuda_runtime.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
				"__global__ void twice(const float *x, float *y, float *z, int n)\n{\n"
				"\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n\tif (i < n) {\n\t\ty[i] = 2 * "
				"x[i];\n\t\tz[i] += 1;\n\t}\n}\n"
				"extern \"C\" void solve(const float *x, float *y, float *z, int N)\n{\n"
				"\ttwice<<<(N + 255) / 256, 256>>>(x, y, z, N);\n\t%s\n}\n";

static void fail_with(struct fixture *f)
{
	fail_msg("%s", f->e.text);
}

/* Writes and builds a kernel of that name; the subject is it. */
static void build(struct fixture *f, const char *name, const char *body)
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
	struct artifact x;
	if (!build_make(&x, &f->a, &o, &f->e))
		fail_with(f);
	if (x.result != BUILD_OK)
		fail_msg("%s", x.message);
	f->subject = (struct lab_subject){.name = name, .library = x.library, .symbol = x.symbol};
}

static void open_operator(struct fixture *f)
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

static int start(void **state, bool is_gpu, const char *keeper_conf)
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

static int start_cpu(void **state)
{
	return start(state, false, "");
}

static int start_gpu(void **state)
{
	return start(state, true, "");
}

/* Memory of the GPU cannot be shared. */
static int start_staged(void **state)
{
	return start(state, true, "fail cuMemExportToShareableHandle 0 801 keeper\n");
}

static int stop(void **state)
{
	struct fixture *f = *state;
	lab_free(f->lab);
	arena_release(&f->a);
	bool ok = file_remove_tree(kit_path("scratch"), &f->e);
	free(f);
	return ok ? 0 : -1;
}

static struct lab_worker *worker_of(struct fixture *f, const char *mode)
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

static void run(struct fixture *f, struct lab_worker *w, const struct lab_batch *b, struct lab_rows *rows)
{
	struct lab_fault fault;
	enum ask_result r = lab_run(f->lab, w, b, rows, &fault, &f->e);
	if (r != ASK_OK)
		fail_msg("%s", r == ASK_FAULT ? fault.text : f->e.text);
	assert_int_equal(rows->n, b->n);
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

/* ---- a worker that lies: a script in its place sends frames that were made here; the keeper is the real one */

static void put(struct buf *out, enum wire_type type, struct str a, struct str b)
{
	struct wire_message m = {.type = type};
	if (type == WIRE_TYPE_HELLO)
		m.u.hello = (struct wire_hello){WIRE_VERSION, STR("worker"), 7};
	else if (type == WIRE_TYPE_READY)
		m.u.ready.facts = a;
	else if (type == WIRE_TYPE_ROWS)
		m.u.rows.rows = a;
	else if (type == WIRE_TYPE_LAUNCHES)
		m.u.launches = (struct wire_launches){a, b};
	link_frame(out, &m);
}

/* Answers up to the first CALLS, then what the test adds. */
static void start_lie(struct buf *out, struct fixture *f, const char *facts)
{
	buf_init(out);
	put(out, WIRE_TYPE_HELLO, STR(""), STR(""));
	put(out, WIRE_TYPE_READY, str_from(facts), STR(""));
	for (size_t i = 0; i < 1 + lab_n_slots(f->lab); i++)
		put(out, WIRE_TYPE_OK, STR(""), STR(""));
}

static struct lab_worker *liar(struct fixture *f, struct buf *frames, const char *mode)
{
	struct err e = {ERR_NONE, ""};
	struct lab_fault fault = {.text = ""};
	assert_true(file_write_str(kit_path("frames"), buf_view(frames), &e));
	/* SETUP, LAYOUT, a MAP a slot */
	kit_text("frames.quiet", arena_printf(&f->a, "%zu", 2 + lab_n_slots(f->lab)));
	buf_release(frames);
	f->subject.is_trusted = true; /* no sandbox: the script is no program of ours */
	struct lab_worker *w = lab_start(f->lab, &f->subject, mode, &e);
	if (!w)
		fail_msg("%s", e.text);
	enum ask_result r = lab_join(f->lab, w, &fault, &e);
	if (r != ASK_OK)
		fail_msg("%s", r == ASK_FAULT ? fault.text : e.text);
	return w;
}

/* Takes each question in turn and sends the next frame; when CALLS comes, all that are left. */
static const char lie[] = "import socket, struct, sys, time\n"
			  "s = socket.socket(fileno=int(sys.argv[1]))\n"
			  "data, frames = open(sys.argv[2], 'rb').read(), []\n"
			  "while data:\n"
			  "    n = 8 + struct.unpack('<I', data[:4])[0]\n"
			  "    frames.append(data[:n])\n"
			  "    data = data[n:]\n"
			  "s.sendall(frames.pop(0))\n"
			  "def take(n):\n"
			  "    got = b''\n"
			  "    while len(got) < n:\n"
			  "        got += s.recv(n - len(got))\n"
			  "    return got\n"
			  "n_quiet = int(open(sys.argv[2] + '.quiet').read())\n"
			  "while True:\n"
			  "    take(struct.unpack('<I', take(8)[:4])[0])\n"
			  "    if n_quiet == 0:\n"
			  "        s.sendall(b''.join(frames))\n"
			  "        time.sleep(30)\n"
			  "    n_quiet -= 1\n"
			  "    s.sendall(frames.pop(0))\n";

static int start_liar(void **state, bool is_gpu)
{
	int rc = start(state, is_gpu, "");
	struct fixture *f = *state;
	if (rc != 0)
		return rc;
	kit_text("liar.py", lie);
	kit_text("liar", arena_printf(&f->a,
				      "#!/bin/sh\n[ \"$1\" = keeper ] && exec %s \"$@\"\n"
				      "exec python3 %s $3 %s\n",
				      kit_program, kit_path("liar.py"), kit_path("frames")));
	chmod(kit_path("liar"), 0700);
	lab_free(f->lab);
	f->options.program = arena_strdup(&f->a, kit_path("liar"));
	f->options.call_timeout_ns = INT64_C(2000000000);
	f->lab = lab_open(&f->a, &f->op, &f->device, &f->options, &f->e);
	return f->lab && lab_case(f->lab, 0, &f->e) ? 0 : -1;
}

static int start_liar_cpu(void **state)
{
	return start_liar(state, false);
}

static int start_liar_gpu(void **state)
{
	return start_liar(state, true);
}

static void expect_protocol_error(struct fixture *f, struct lab_worker *w)
{
	struct lab_batch b = {.n = 2};
	struct lab_rows rows;
	struct lab_fault fault = {.text = ""};
	assert_int_equal(lab_run(f->lab, w, &b, &rows, &fault, &f->e), ASK_FAULT);
	assert_string_equal(verdict_word(fault.verdict), "protocol_error");
	assert_string_equal(fault.witness, "parent");
	lab_end(f->lab, w);
}

static void lying_rows(void **state)
{
	struct fixture *f = *state;
	struct wire_row rows[3] = {{.call = 77, .slot = UINT64_MAX}};
	const struct str blobs[] = {
		{(const char *)rows, sizeof(rows)},        /* three for two */
		{(const char *)rows, sizeof(rows[0])},     /* one */
		{(const char *)rows, sizeof(rows[0]) + 1}, /* and a bit */
		{"", 0},
	};
	struct buf frames;
	for (size_t i = 0; i < COUNT_OF(blobs); i++) {
		start_lie(&frames, f, "{}");
		put(&frames, WIRE_TYPE_ROWS, blobs[i], STR(""));
		expect_protocol_error(f, liar(f, &frames, "time"));
	}
	start_lie(&frames, f, "not JSON");
	put(&frames, WIRE_TYPE_OK, STR(""), STR("")); /* no rows at all */
	expect_protocol_error(f, liar(f, &frames, "time"));
}

/* Rows of the right number are named by the lab, whatever they say of themselves. */
static void rows_named(void **state)
{
	struct fixture *f = *state;
	struct wire_row rows[2] = {{.call = 77, .slot = UINT64_MAX, .placement = 9, .side = 5, .block = 3}};
	struct buf frames;
	struct lab_rows got;
	struct lab_batch b = {.n = 2, .first_call = 4, .placement = 1};
	start_lie(&frames, f, "{}");
	put(&frames, WIRE_TYPE_ROWS, (struct str){(const char *)rows, sizeof(rows)}, STR(""));
	struct lab_worker *w = liar(f, &frames, "time");
	run(f, w, &b, &got);
	assert_int_equal(got.rows[0].call, 4);
	assert_int_equal(got.rows[1].call, 5);
	assert_int_equal(got.rows[0].slot, 0);
	assert_int_equal(got.rows[0].placement, 1);
	assert_int_equal(got.rows[0].side, 0);
}

static void lying_launches(void **state)
{
	struct fixture *f = *state;
	struct wire_launch l[2] = {{.i_name = 0}, {.i_name = 1}};
	struct wire_row rows[2] = {{.n_launch = 1}};
	struct str all = {(const char *)l, sizeof(l)}, cut = {(const char *)l, sizeof(l) - 8},
		   two = {(const char *)rows, sizeof(rows)};
	const struct {
		struct str launches, names;
	} lies[] = {{all, STR("one\n")}, {all, STR("")}, {cut, STR("one\ntwo\n")}};
	struct buf frames;
	for (size_t i = 0; i < COUNT_OF(lies); i++) {
		start_lie(&frames, f, "{}");
		put(&frames, WIRE_TYPE_LAUNCHES, lies[i].launches, lies[i].names);
		put(&frames, WIRE_TYPE_ROWS, two, STR(""));
		expect_protocol_error(f, liar(f, &frames, "identity"));
	}
	start_lie(&frames, f, "{}");
	put(&frames, WIRE_TYPE_LAUNCHES, all, STR("one\ntwo\n"));
	put(&frames, WIRE_TYPE_ROWS, two, STR(""));
	struct lab_worker *w = liar(f, &frames, "identity");
	struct lab_batch b = {.n = 2};
	struct lab_rows got;
	run(f, w, &b, &got);
	assert_int_equal(got.n_launches, 2);
	assert_string_equal(got.names[1], "two");
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
		CPU(slots),
		GPU(slots),
		CPU(poisons),
		GPU(poisons),
		CPU(cases),
		GPU(cases),
		CPU(faults),
		GPU(faults),
		CPU(hang),
		GPU(hang),
		GPU(identity),
		GPU(modes),
		CPU(not_loaded),
		GPU(not_loaded),
		GPU(device_error),
		GPU(no_room),
		CPU(too_large),
		GPU(too_large),
		STAGED(slots),
		STAGED(poisons),
		STAGED(cases),
		STAGED(modes),
		STAGED(too_large),
		{"lying_rows", lying_rows, start_liar_cpu, stop, NULL},
		{"rows_named", rows_named, start_liar_cpu, stop, NULL},
		{"lying_launches", lying_launches, start_liar_gpu, stop, NULL},
	};
	return kit_end(cmocka_run_group_tests(tests, NULL, NULL));
}
