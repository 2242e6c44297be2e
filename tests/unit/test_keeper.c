/* The keeper's process through its door, on the host and on the fake GPU: what it fills, poisons, compares and guards is
 * what lies in the memory that it exported; what makes no sense is refused and it goes on. */
#include "fake_kit.h"

#include <math.h>
#include <signal.h>
#include <sys/mman.h>

#include "base/file.h"
#include "gpu/twins.h"
#include "gpu/values.h"
#include "run/keeper.h"

enum { N = 1000, AT_X = 512, AT_Y = 5120, REGION = 10240, GPU_BYTES = 2 << 20 };
static const struct wire_tensor tensors[] = {
	{.offset = AT_X, .bytes = 4 * N, .dtype = DTYPE_F32, .is_output = WIRE_INPUT},
	{.offset = AT_Y, .bytes = 4 * N, .dtype = DTYPE_F32, .is_output = WIRE_OUTPUT_ONLY},
};

struct fixture {
	struct keeper *k;
	struct err e;
	int fd;
	char *memory; /* region 0 as a worker would map it */
	size_t bytes;
};

static struct wire_layout layout_of(uint64_t i_case)
{
	return (struct wire_layout){
		.i_case = i_case, .tensors = {(const char *)tensors, sizeof(tensors)}, .bytes = REGION};
}

static int start(void **state, const char *backend)
{
	static struct fixture f;
	f = (struct fixture){.fd = -1};
	struct keeper_options o = {.program = kit_program, .folder = kit_folder, .backend = backend};
	struct wire_layout l = layout_of(0);
	f.k = keeper_start(&o, &f.e);
	if (!f.k || !keeper_layout(f.k, &l, &f.e) || !keeper_alloc(f.k, 0, &f.fd, &f.e) ||
	    !keeper_alloc(f.k, 1, NULL, &f.e)) {
		fprintf(stderr, "%s\n", f.e.text);
		return -1;
	}
	f.bytes = strcmp(backend, "c") == 0 ? REGION : GPU_BYTES; /* the fake GPU's memory is a memory file, too */
	f.memory = mmap(NULL, f.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
	*state = &f;
	return f.memory == MAP_FAILED ? -1 : 0;
}

static int start_host(void **state)
{
	return start(state, "c");
}

static int start_gpu(void **state)
{
	return start(state, "cuda");
}

static int stop(void **state)
{
	struct fixture *f = *state;
	munmap(f->memory, f->bytes);
	close(f->fd);
	keeper_free(f->k);
	return 0;
}

static void fill(struct fixture *f, size_t region, size_t i_tensor, uint64_t seed)
{
	struct wire_fill x = {.region = region,
			      .i_tensor = i_tensor,
			      .dtype = DTYPE_F32,
			      .kind = FILL_NORMAL,
			      .lo = 0,
			      .hi = 1,
			      .seed = seed};
	if (!keeper_fill(f->k, &x, &f->e))
		fail_msg("%s", f->e.text);
}

static void filled(void **state)
{
	struct fixture *f = *state;
	float want[N];
	struct value_source v = {.dtype = DTYPE_F32, .fill = {FILL_NORMAL, 0, 1}, .seed = 7, .tensor = 0};
	value_fill(&v, 0, N, want);
	fill(f, 0, 0, 7);
	assert_memory_equal(f->memory + AT_X, want, sizeof(want));
	fill(f, 0, 0, 8);
	assert_memory_not_equal(f->memory + AT_X, want, sizeof(want));
}

static void guarded(void **state)
{
	struct fixture *f = *state;
	struct wire_guarded g;
	fill(f, 0, 0, 7);
	assert_true(keeper_poison(f->k, 0, UINT64_MAX, 1, &f->e));
	for (size_t i = 0; i < 4 * N; i++)
		assert_int_equal((unsigned char)f->memory[AT_Y + i], 0xff);
	assert_true(keeper_guard(f->k, 0, &g, &f->e));
	assert_int_equal(g.n_damaged, 0);
	f->memory[AT_X + 4 * N] ^= 1; /* behind x */
	f->memory[AT_Y - 1] ^= 1;     /* before y */
	f->memory[REGION - 1] ^= 1;   /* the very end */
	f->memory[0] ^= 1;            /* the very beginning */
	f->memory[AT_Y + 5] = 1;      /* y itself: no damage */
	assert_true(keeper_guard(f->k, 0, &g, &f->e));
	assert_int_equal(g.n_damaged, 4);
	assert_int_equal(g.first_offset, 0);
	f->memory[0] ^= 1;
	assert_true(keeper_guard(f->k, 0, &g, &f->e));
	assert_int_equal(g.n_damaged, 3);
	assert_int_equal(g.first_offset, AT_X + 4 * N);
	assert_true(keeper_poison(f->k, 0, 0x7b7b7b7b7b7b7b7b, 1, &f->e));
	assert_true(keeper_guard(f->k, 0, &g, &f->e));
	assert_int_equal(g.n_damaged, 0);
	assert_int_equal(g.first_offset, UINT64_MAX);
}

static void compared(void **state)
{
	struct fixture *f = *state;
	struct wire_compare ask = {.region = 0, .expected = 1, .i_tensor = 1, .atol = 1e-3};
	struct wire_compared c;
	float x;
	assert_true(keeper_poison(f->k, 0, UINT64_MAX, 1, &f->e));
	fill(f, 0, 1, 3);
	fill(f, 1, 1, 3);
	assert_true(keeper_compare(f->k, &ask, &c, &f->e));
	assert_int_equal(c.n, N);
	assert_int_equal(c.n_bad, 0);
	assert_int_equal(c.n_poison, 0);
	memcpy(&x, f->memory + AT_Y + 4 * 17, sizeof(x));
	float wrong = x + 2, expected = x;
	memcpy(f->memory + AT_Y + 4 * 17, &wrong, sizeof(wrong));
	wrong = NAN;
	memcpy(f->memory + AT_Y + 4 * 400, &wrong, sizeof(wrong));
	memset(f->memory + AT_Y + 4 * 900, 0xff, 4 * 3); /* as poisoned */
	assert_true(keeper_compare(f->k, &ask, &c, &f->e));
	assert_int_equal(c.n_bad, 5);
	assert_int_equal(c.first_bad, 17);
	assert_true(c.actual == (double)(expected + 2) && c.expected == (double)expected);
	assert_true(fabs(c.max_abs - 2) < 1e-6);
	assert_int_equal(c.n_nan, 4);
	assert_int_equal(c.n_poison, 3);
}

static void hashed(void **state)
{
	struct fixture *f = *state;
	uint64_t a = 0, b = 0, c = 0;
	fill(f, 0, 0, 7);
	fill(f, 1, 0, 7);
	assert_true(keeper_hash(f->k, 0, 0, &a, &f->e));
	assert_true(keeper_hash(f->k, 1, 0, &b, &f->e));
	assert_true(a == b);
	f->memory[AT_X + 4 * N - 1] ^= 1;
	assert_true(keeper_hash(f->k, 0, 0, &c, &f->e));
	assert_true(a != c);
	f->memory[AT_X + 4 * N - 1] ^= 1;
	assert_true(keeper_hash(f->k, 0, 0, &c, &f->e));
	assert_true(a == c);
}

/* Into a memory file and back, laid out like the region. */
static void transferred(void **state)
{
	struct fixture *f = *state;
	int file = file_memfd("transfer", REGION, &f->e);
	assert_true(file >= 0);
	fill(f, 0, 0, 7);
	assert_true(keeper_read(f->k, 0, AT_X, 4 * N, file, &f->e));
	assert_true(keeper_write(f->k, 1, AT_X, 4 * N, file, &f->e));
	uint64_t a = 0, b = 0;
	char back[4 * N];
	assert_int_equal(pread(file, back, sizeof(back), AT_X), sizeof(back));
	assert_memory_equal(back, f->memory + AT_X, sizeof(back));
	assert_true(keeper_hash(f->k, 0, 0, &a, &f->e) && keeper_hash(f->k, 1, 0, &b, &f->e));
	assert_true(a == b);
	assert_true(keeper_read(f->k, 0, REGION, 0, file, &f->e));
	assert_false(keeper_read(f->k, 0, AT_X, REGION, file, &f->e)); /* beyond the end */
	assert_non_null(strstr(f->e.text, "transfer outside the region"));
	assert_false(keeper_read(f->k, 0, UINT64_MAX, 2, file, &f->e));
	assert_false(keeper_write(f->k, 0, AT_X, 4 * N, -1, &f->e));
	close(file);
	assert_true(keeper_hash(f->k, 0, 0, &a, &f->e)); /* it goes on */
}

static void refused(void **state)
{
	struct fixture *f = *state;
	struct wire_compare ask = {.region = 0, .expected = 77, .i_tensor = 1};
	struct wire_compared c;
	struct wire_guarded g;
	struct wire_fill x = {.region = 0, .i_tensor = 0, .dtype = DTYPE_COUNT};
	uint64_t h = 0;
	assert_false(keeper_compare(f->k, &ask, &c, &f->e));
	assert_string_equal(f->e.text, "the keeper of the tensors failed at compare: no region 77");
	assert_int_equal(f->e.code, ERR_ENVIRONMENT);
	assert_false(keeper_hash(f->k, 0, 2, &h, &f->e));
	assert_string_equal(f->e.text, "the keeper of the tensors failed at hash: no tensor 2");
	assert_false(keeper_guard(f->k, 5, &g, &f->e));
	assert_false(keeper_alloc(f->k, KEEPER_MAX_REGIONS, NULL, &f->e));
	assert_false(keeper_fill(f->k, &x, &f->e));
	x = (struct wire_fill){.region = 0, .i_tensor = 0, .dtype = DTYPE_F32, .kind = FILL_UNIFORM, .lo = 2, .hi = 1};
	assert_false(keeper_fill(f->k, &x, &f->e));
	assert_true(keeper_hash(f->k, 0, 0, &h, &f->e));
}

/* Layouts by number: regions keep theirs, one that changes frees its own only. */
static void layouts(void **state)
{
	struct fixture *f = *state;
	static const struct wire_tensor one[] = {
		{.offset = 512, .bytes = 8, .dtype = DTYPE_F64, .is_output = WIRE_INPUT}};
	struct wire_layout other = {.i_case = 1, .tensors = {(const char *)one, sizeof(one)}, .bytes = 1024};
	struct wire_compare ask = {.region = 0, .expected = 2, .i_tensor = 0};
	struct wire_compared c;
	uint64_t h = 0;
	assert_true(keeper_layout(f->k, &other, &f->e));
	assert_true(keeper_alloc(f->k, 2, NULL, &f->e));
	assert_true(keeper_hash(f->k, 0, 1, &h, &f->e));
	assert_false(keeper_hash(f->k, 2, 1, &h, &f->e));
	assert_false(keeper_compare(f->k, &ask, &c, &f->e));
	assert_non_null(strstr(f->e.text, "not alike"));
	other.bytes = 2048;
	assert_true(keeper_layout(f->k, &other, &f->e)); /* another layout 1: its region goes */
	assert_false(keeper_hash(f->k, 2, 0, &h, &f->e));
	assert_true(keeper_hash(f->k, 0, 1, &h, &f->e));
	assert_true(keeper_drop(f->k, 0, &f->e));
	assert_false(keeper_hash(f->k, 0, 1, &h, &f->e));
	other.i_case = KEEPER_MAX_LAYOUTS;
	assert_false(keeper_layout(f->k, &other, &f->e));
}

static void memory_word(void **state)
{
	struct fixture *f = *state;
	assert_string_equal(keeper_memory(f->k), f->bytes == REGION ? "host" : "exported");
}

/* A GPU whose memory cannot be shared: memory files, looked at by the same questions. */
static int start_staged(void **state)
{
	kit_conf("fail cuMemExportToShareableHandle 0 801 keeper\n");
	int rc = start(state, "cuda");
	struct fixture *f = *state;
	kit_conf("");
	if (rc != 0)
		return rc;
	munmap(f->memory, f->bytes);
	f->bytes = REGION; /* a plain memory file */
	f->memory = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	return f->memory == MAP_FAILED ? -1 : 0;
}

static void staged_word(void **state)
{
	struct fixture *f = *state;
	assert_string_equal(keeper_memory(f->k), "staged");
	assert_string_equal(keeper_reason(f->k),
			    "cuMemExportToShareableHandle: operation not supported (CUDA_ERROR_NOT_SUPPORTED, 801)");
}

static void no_device(void **state)
{
	(void)state;
	struct err e = {ERR_NONE, ""};
	struct wire_layout l = layout_of(0);
	struct keeper_options o = {.program = kit_program, .folder = kit_folder, .backend = "cuda", .gpu = "GPU-none"};
	struct keeper *k = keeper_start(&o, &e);
	assert_non_null(k);
	assert_false(keeper_layout(k, &l, &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	assert_non_null(strstr(e.text, "failed at open: cuInit: no CUDA-capable device"));
	keeper_free(k);
	keeper_free(NULL);
}

/* Device memory that runs out, and a GPU that breaks, in the keeper itself. */
static void broken_gpu(void **state)
{
	(void)state;
	struct err e = {ERR_NONE, ""};
	struct wire_layout l = layout_of(0);
	struct keeper_options o = {.program = kit_program, .folder = kit_folder, .backend = "cuda"};
	static const struct {
		const char *conf, *words;
	} rows[] = {
		{"memory_mb 3\n", "failed at alloc: cuMemCreate of 2097152 bytes: out of memory"},
		{"fail cuMemMap 2 1 keeper\n", "failed at alloc: cuMemMap: invalid argument"},
		{"fail cuModuleLoadDataEx 1 200 keeper\n",
		 "cuModuleLoadDataEx of assay.ptx: device kernel image is invalid"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		kit_conf(rows[i].conf);
		struct keeper *k = keeper_start(&o, &e);
		assert_non_null(k);
		bool ok = keeper_layout(k, &l, &e) && keeper_alloc(k, 0, NULL, &e) && keeper_alloc(k, 1, NULL, &e);
		assert_false(ok);
		if (!strstr(e.text, rows[i].words))
			fail_msg("%s: %s", rows[i].conf, e.text);
		keeper_free(k);
	}
	kit_conf("");
}

#define BOTH(f)                                                                                                        \
	{#f " on the host", f, start_host, stop, NULL},                                                                \
	{                                                                                                              \
#f " on the GPU", f, start_gpu, stop, NULL                                                             \
	}
int main(int argc, char **argv)
{
	(void)argc;
	kit_start(argv);
	kit_conf("");
	const struct CMUnitTest tests[] = {
		BOTH(filled),
		BOTH(guarded),
		BOTH(compared),
		BOTH(hashed),
		BOTH(transferred),
		BOTH(refused),
		BOTH(layouts),
		BOTH(memory_word),
		{"staged", staged_word, start_staged, stop, NULL},
		{"filled, staged", filled, start_staged, stop, NULL},
		{"guarded, staged", guarded, start_staged, stop, NULL},
		{"compared, staged", compared, start_staged, stop, NULL},
		cmocka_unit_test(no_device),
		cmocka_unit_test(broken_gpu),
	};
	return kit_end(cmocka_run_group_tests(tests, NULL, NULL));
}
