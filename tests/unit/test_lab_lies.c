/* Workers that lie to the lab: rows and launches that do not fit the question. */
#include "lab_kit.h"

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
			  "        s.recv(1)\n"
			  "        break\n"
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

int main(int argc, char **argv)
{
	(void)argc;
	kit_start(argv);
	setenv("ASSAY_CACHE_DIR", kit_path("cache"), 1);
	const struct CMUnitTest tests[] = {
		{"lying_rows", lying_rows, start_liar_cpu, stop, NULL},
		{"rows_named", rows_named, start_liar_cpu, stop, NULL},
		{"lying_launches", lying_launches, start_liar_gpu, stop, NULL},
	};
	return kit_end(cmocka_run_group_tests(tests, NULL, NULL));
}
