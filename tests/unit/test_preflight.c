/* Unit tests of collect/: preflight, toolset, interpreter, machine.
 * In: tools that are scripts made here, a /proc made here.
 * Out: cmocka's report.
 * Never: asks a real tool for anything; needs a GPU. */
#include "collect/preflight.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "collect/interpreter.h"
#include "collect/machine.h"
#include "collect/toolset.h"

struct kit {
	struct arena a;
	char *folder, *bin;
};

static const char *write_file(struct kit *k, const char *path, const char *text)
{
	struct err e;
	assert_true(file_mkdirs(path_dir(&k->a, path), 0755, &e));
	assert_true(file_write_str(path, str_from(text), &e));
	return path;
}

/* A script in bin/ that counts its calls in NAME.calls. */
static const char *tool(struct kit *k, const char *name, const char *body)
{
	const char *path = path_join(&k->a, k->bin, name);
	write_file(k, path, arena_printf(&k->a, "#!/bin/sh\necho >> %s/%s.calls\n%s\n", k->folder, name, body));
	chmod(path, 0755);
	return path;
}

static int64_t n_calls(struct kit *k, const char *name)
{
	return file_size(arena_printf(&k->a, "%s/%s.calls", k->folder, name));
}

static int begin(void **state)
{
	static const char *const steering[] = {
		"CC", "CXX", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_VISIBLE_DEVICES", "PYENV_ROOT"};
	struct kit *k = calloc(1, sizeof(*k));
	char template[] = "/tmp/test_preflight.XXXXXX";
	arena_init(&k->a);
	k->folder = arena_strdup(&k->a, mkdtemp(template));
	k->bin = path_join(&k->a, k->folder, "bin");
	setenv("ASSAY_CACHE_DIR", path_join(&k->a, k->folder, "cache"), 1);
	setenv("CUTLASS_INCLUDE_DIR", path_join(&k->a, k->folder, "cutlass"), 1);
	setenv("HOME", k->folder, 1);
	setenv("PATH", arena_printf(&k->a, "%s:/usr/bin:/bin", k->bin), 1);
	for (size_t i = 0; i < COUNT_OF(steering); i++)
		unsetenv(steering[i]);
	write_file(k, path_join(&k->a, k->folder, "cutlass/cutlass/cutlass.h"), "");
	tool(k, "nvcc",
	     "echo 'nvcc: NVIDIA (R) Cuda compiler'; echo 'Cuda compilation tools, release 12.4, V12.4.131'");
	tool(k, "ncu", "echo NVIDIA; echo 'Version 2025.3.1.0 (build 1) (public-release)'");
	tool(k, "nsys", "echo 'NVIDIA Nsight Systems version 2025.3.2.474-2v0'");
	tool(k, "compute-sanitizer", "echo 'NVIDIA (R) Compute Sanitizer'; echo 'Version 2025.3.1'");
	tool(k, "cuobjdump", "echo 'Cuda compilation tools, release 12.4, V12.4.127'");
	tool(k, "nvdisasm", "echo 'Cuda compilation tools, release 12.4, V12.4.127'");
	tool(k, "cc", "echo 'cc (Debian 12.2.0-14) 12.2.0'");
	tool(k, "c++", "echo 'c++ (Debian 12.2.0-14) 12.2.0'");
	*state = k;
	return 0;
}

static int end(void **state)
{
	struct kit *k = *state;
	struct err e;
	int rc = file_remove_tree(k->folder, &e) ? 0 : -1;
	arena_release(&k->a);
	free(k);
	return rc;
}

/* A python3 that answers -c with `answer`, or with `import` where the script imports torch. */
static const char *python(struct kit *k, const char *answer, const char *import)
{
	return tool(k, "python3",
		    arena_printf(&k->a, "case \"$2\" in *'import torch'*) %s ;; *) echo '%s' ;; esac", import, answer));
}

static const char *packages(struct kit *k, const char *torch)
{
	return arena_printf(
		&k->a,
		"{\"version\": \"3.11.2\", \"executable\": \"%s/python3\", \"torch\": %s, \"triton\": null, "
		"\"cutlass_include\": null, \"paths\": [\"%s/site\"]}",
		k->bin, torch, k->folder);
}

static void expect(const struct json *j, const char *path, const char *value)
{
	const struct json *v = json_path(j, path);
	if (!value) {
		assert_true(v && v->type == JSON_NULL);
		return;
	}
	assert_true(v && v->type == JSON_STRING);
	assert_string_equal(v->text.p, value);
}

static void toolset_found(void **state)
{
	struct kit *k = *state;
	struct err e;
	struct json *j;
	struct toolset_options o = {0};
	python(k, packages(k, "{\"version\": \"2.5.1+cu124\", \"path\": \"/site/torch\"}"), "exit 1");
	assert_true(toolset_read(&j, &k->a, &o, &e));
	assert_int_equal(j->n, 12);
	expect(j, "nvcc.state", "found");
	expect(j, "nvcc.path", path_join(&k->a, k->bin, "nvcc"));
	expect(j, "nvcc.version", "12.4.131");
	expect(j, "nvcc.version_text", "Cuda compilation tools, release 12.4, V12.4.131");
	expect(j, "ncu.version", "2025.3.1.0");
	expect(j, "nsys.version", "2025.3.2.474");
	expect(j, "compute-sanitizer.version", "2025.3.1");
	expect(j, "c++.version", "12.2.0");
	expect(j, "python3.version", "3.11.2");
	expect(j, "torch.version", "2.5.1+cu124");
	expect(j, "torch.source", "metadata");
	expect(j, "torch.path", "/site/torch");
	expect(j, "triton.state", "absent");
	expect(j, "cutlass.state", "found");
	expect(j, "cutlass.version", NULL);
	for (size_t i = 0; i < j->n; i++) /* each says what its absence costs */
		assert_true(str_starts(json_str(j->members[i].value, "absence", STR("")), "Without "));
	assert_true(toolset_read(&j, &k->a, &o, &e)); /* all of it is remembered */
	assert_int_equal(n_calls(k, "nvcc"), 1);
	assert_int_equal(n_calls(k, "ncu"), 1);
	assert_int_equal(n_calls(k, "python3"), 1);
}

static void toolset_faults(void **state)
{
	struct kit *k = *state;
	struct err e;
	struct json *j;
	struct toolset_options o = {.timeout_ns = 300 * 1000000, .ncu = "/nowhere/ncu", .python = "/nowhere/python"};
	tool(k, "nsys", "sleep 1000");
	tool(k, "compute-sanitizer", "exit 3");
	assert_true(toolset_read(&j, &k->a, &o, &e));
	expect(j, "ncu.state", "absent");
	expect(j, "ncu.path", NULL);
	expect(j, "ncu.reason", "'/nowhere/ncu' is no executable file");
	expect(j, "nsys.state", "broken");
	assert_non_null(strstr(json_path(j, "nsys.reason")->text.p, "killed at its deadline"));
	expect(j, "nsys.version", NULL);
	expect(j, "compute-sanitizer.state", "broken");
	expect(j, "cuobjdump.state", "found"); /* what comes after a broken tool is asked all the same */
	expect(j, "python3.state", "absent");
	expect(j, "torch.state", "unknown");
	expect(j, "triton.state", "unknown");
}

static void packages_come_and_go(void **state)
{
	struct kit *k = *state;
	struct err e;
	const char *site = path_join(&k->a, k->folder, "site"), *p = python(k, packages(k, "null"), "exit 1");
	assert_true(file_mkdirs(site, 0755, &e));
	assert_non_null(interpreter_packages(&k->a, p, 0, &e));
	assert_non_null(interpreter_packages(&k->a, p, 0, &e));
	assert_int_equal(n_calls(k, "python3"), 1);
	struct timespec t[2] = {{1000, 0}, {1000, 0}};
	assert_int_equal(utimensat(AT_FDCWD, site, t, 0), 0); /* a package was put into the folder */
	assert_non_null(interpreter_packages(&k->a, p, 0, &e));
	assert_int_equal(n_calls(k, "python3"), 2);
	assert_non_null(interpreter_packages(&k->a, p, 0, &e));
	assert_int_equal(n_calls(k, "python3"), 2);
	setenv("VIRTUAL_ENV", "/elsewhere", 1);
	assert_non_null(interpreter_packages(&k->a, p, 0, &e));
	unsetenv("VIRTUAL_ENV");
	assert_int_equal(n_calls(k, "python3"), 3);
	write_file(k, path_join(&k->a, k->folder, ".python-version"), "3.9\n"); /* a shim would pick another one now */
	assert_non_null(interpreter_packages(&k->a, p, 0, &e));
	assert_int_equal(n_calls(k, "python3"), 4);
}

static void broken_interpreters(void **state)
{
	struct kit *k = *state;
	struct err e;
	const char *p = tool(k, "python3", "echo 'pyenv: no version is set' >&2; exit 127");
	assert_null(interpreter_packages(&k->a, p, 0, &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	assert_string_equal(e.text, arena_printf(&k->a, "%s does not run: exit 127: pyenv: no version is set", p));
	p = tool(k, "python3", "echo hello");
	assert_null(interpreter_packages(&k->a, p, 0, &e));
	assert_non_null(strstr(e.text, "is no Python"));
	p = tool(k, "python3", "echo 17");
	assert_null(interpreter_packages(&k->a, p, 0, &e));
	assert_non_null(strstr(e.text, "is no Python"));
	p = tool(k, "python3", "sleep 1000");
	assert_null(interpreter_packages(&k->a, p, 200 * 1000000, &e));
	assert_non_null(strstr(e.text, "killed at its deadline"));
}

static void torch_imported(void **state)
{
	struct kit *k = *state;
	struct err e;
	struct json *j;
	struct toolset_options o = {.gpu = "GPU-1", .import_torch = true};
	python(k, packages(k, "null"),
	       "echo warning; echo '{\"torch\": {\"version\": \"2.5\", \"device\": \"'$3'\", \"n_devices\": 1}, "
	       "\"triton\": "
	       "{\"error\": \"ModuleNotFoundError: No module named '\"'triton'\"'\"}}'");
	assert_true(toolset_read(&j, &k->a, &o, &e));
	expect(j, "torch.state", "found");
	expect(j, "torch.source", "import");
	expect(j, "torch.device", "GPU-1"); /* what the script got as the only visible GPU */
	expect(j, "triton.state", "absent");
	python(k, packages(k, "null"),
	       "echo '{\"torch\": {\"error\": \"OSError: libcudart.so\"}, \"triton\": {\"version\": \"3\"}}'");
	assert_true(toolset_read(&j, &k->a, &o, &e));
	expect(j, "torch.state", "broken");
	expect(j, "torch.reason", "OSError: libcudart.so");
	expect(j, "triton.version", "3");
	python(k, packages(k, "null"), "kill -SEGV $$");
	assert_true(toolset_read(&j, &k->a, &o, &e));
	expect(j, "python3.state", "found");
	expect(j, "torch.state", "broken");
	assert_non_null(strstr(json_path(j, "torch.reason")->text.p, "signal 11"));
	expect(j, "triton.state", "unknown");
}

static const struct json *counters(struct kit *k, const char *params, const char *caps, const char *map)
{
	const char *root = path_join(&k->a, k->folder, "root");
	write_file(k, path_join(&k->a, root, "proc/driver/nvidia/params"), params);
	write_file(k, path_join(&k->a, root, "proc/self/status"),
		   arena_printf(&k->a, "Name:\tx\nCapPrm:\t000001ffffffffff\nCapEff:\t%s\n", caps));
	write_file(k, path_join(&k->a, root, "proc/self/uid_map"), map);
	return machine_counters(&k->a, root);
}

static void counter_rights(void **state)
{
	struct kit *k = *state;
	static const char first[] = "         0          0 4294967295\n",
			  inner[] = "         0       1000          1\n";
	static const char locked[] = "ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\n", none[] = "0000000000000000";
	static const struct {
		const char *params, *caps, *map;
		int allowed; /* -1: null */
	} rows[] = {
		{"RmProfilingAdminOnly: 0\n", none, first, 1},
		{locked, none, first, 0},
		{locked, "0000000000200000", first, 1}, /* CAP_SYS_ADMIN */
		{locked, "0000004000000000", first, 1}, /* CAP_PERFMON */
		{locked, "0000003fffdfffff", first, 0}, /* all others of that width */
		{locked, "000001ffffffffff", inner, 0}, /* root of a user namespace of its own */
		{"", none, first, -1},
		{"RmProfilingAdminOnly:\n", none, first, -1},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct json *c = counters(k, rows[i].params, rows[i].caps, rows[i].map);
		const struct json *allowed = json_get(c, "allowed");
		assert_int_equal(allowed->type == JSON_BOOL ? allowed->boolean : -1, rows[i].allowed);
		assert_int_equal(json_get(c, "advice")->type == JSON_STRING, rows[i].allowed == 0);
		assert_true(json_str(c, "found", STR("")).n > 0);
	}
}

static void gpu_facts(void **state)
{
	struct kit *k = *state;
	static const char *instances[] = {"MIG-a", "MIG-b"};
	struct gpu_device d = {.index = 1,
			       .has = GPU_HAS_CAPABILITY | GPU_HAS_COMPUTE_MODE | GPU_HAS_MIG,
			       .name = "H",
			       .uuid = "GPU-x",
			       .pci = "unread",
			       .cc_major = 9,
			       .memory_total_bytes = 80,
			       .compute_mode = 3,
			       .mig_enabled = 1,
			       .mig_uuid = instances,
			       .n_mig = 2};
	struct json *j = machine_gpu(&k->a, &d);
	expect(j, "compute_capability", "9.0");
	expect(j, "compute_mode", "exclusive_process");
	expect(j, "mig_instances.1", "MIG-b");
	assert_true(json_bool(j, "mig", false));
	expect(j, "pci", NULL); /* not read: null, whatever stands in the field */
	expect(j, "persistence", NULL);
	d.has = 0;
	d.compute_mode = 77;
	j = machine_gpu(&k->a, &d);
	expect(j, "compute_capability", NULL);
	expect(j, "compute_mode", NULL);
	expect(j, "mig", NULL);
	d.has = GPU_HAS_COMPUTE_MODE;
	expect(machine_gpu(&k->a, &d), "compute_mode", "unknown");
}

static void needs(void **state)
{
	struct kit *k = *state;
	struct err e;
	struct preflight p;
	const char *kernel = write_file(k, path_join(&k->a, k->folder, "k.c"), "void solve(void) {}");
	const char *gone = path_join(&k->a, k->folder, "gone.py");
	const char *files[] = {kernel, gone, k->folder, NULL};
	struct preflight_options o = {.needs = PREFLIGHT_NVCC | PREFLIGHT_CC | PREFLIGHT_NCU};
	python(k, packages(k, "null"), "exit 1");
	assert_true(preflight_run(&p, &k->a, &o, &e));
	assert_null(p.missing);
	assert_true(json_bool(p.json, "ready", false));
	expect(p.json, "format", "assay/preflight-v1");
	expect(p.json, "needs.0.need", "nvcc");
	expect(p.json, "needs.0.state", "met");
	assert_int_equal(json_get(p.json, "needs")->n, 3);
	o.ncu = "/nowhere/ncu";
	assert_true(preflight_run(&p, &k->a, &o, &e));
	assert_string_equal(p.missing,
			    "ncu was not found ('/nowhere/ncu' is no executable file): install Nsight Compute, "
			    "or name one with --ncu-bin");
	assert_false(json_bool(p.json, "ready", true));
	tool(k, "nvcc", "exit 1");
	o.files = files;
	assert_true(preflight_run(&p, &k->a, &o, &e));
	assert_string_equal(p.missing, arena_printf(&k->a, "%s: cannot be read: No such file or directory", gone));
	const struct json *missing = json_get(p.json, "missing");
	assert_int_equal(missing->n, 4); /* gone.py, the folder, nvcc, ncu */
	assert_non_null(strstr(missing->items[1]->text.p, "this is a folder"));
	assert_string_equal(
		missing->items[2]->text.p,
		arena_printf(&k->a, "nvcc does not answer: %s/nvcc --version: exit 1; --nvcc-bin names another one",
			     k->bin));
	for (size_t i = 0; i < missing->n; i++) /* one line each */
		assert_null(strchr(missing->items[i]->text.p, '\n'));
}

static void torch_needs(void **state)
{
	struct kit *k = *state;
	struct err e;
	struct preflight p;
	struct preflight_options o = {.needs = PREFLIGHT_PYTHON | PREFLIGHT_TORCH};
	python(k, packages(k, "null"), "exit 1");
	assert_true(preflight_run(&p, &k->a, &o, &e));
	assert_string_equal(p.missing, "torch was not found (not among the packages of this python3): install torch in "
				       "this interpreter, or name one with --python");
	python(k, packages(k, "{\"version\": \"2.5\", \"path\": \"/t\"}"),
	       "echo '{\"torch\": {\"version\": \"2.5\", \"cuda\": null, \"cuda_available\": false, \"n_devices\": 0}, "
	       "\"triton\": {\"version\": \"3\"}}'");
	assert_true(preflight_run(&p, &k->a, &o, &e));
	assert_null(p.missing);
	o.ask_torch = true; /* without a need for a GPU a torch for the CPU is enough */
	assert_true(preflight_run(&p, &k->a, &o, &e));
	assert_null(p.missing);
	o.needs |= PREFLIGHT_GPU;
	o.i_gpu = 1000; /* on no machine */
	assert_true(preflight_run(&p, &k->a, &o, &e));
	const struct json *missing = json_get(p.json, "missing");
	assert_int_equal(missing->n, 2);
	assert_non_null(strstr(missing->items[1]->text.p, "torch 2.5 does not see the GPU"));
	assert_non_null(strstr(missing->items[1]->text.p, "built for no CUDA"));
}

static void written(void **state)
{
	struct kit *k = *state;
	struct err e;
	struct preflight p;
	struct str text;
	struct preflight_options o = {.needs = PREFLIGHT_CC};
	python(k, packages(k, "{\"version\": \"2|5\", \"path\": \"/t\"}"), "exit 1");
	assert_true(preflight_run(&p, &k->a, &o, &e));
	assert_true(preflight_write(&p, k->folder, &e));
	struct json *back = json_read_file(&k->a, path_join(&k->a, k->folder, "preflight_check.json"), JSON_STRICT, &e);
	expect(back, "tools.nvcc.version", "12.4.131");
	assert_true(file_read(&k->a, &text, path_join(&k->a, k->folder, "preflight_check.md"), 1 << 20, &e));
	assert_true(str_starts(text, "# Preflight\n\nReady at 20"));
	assert_non_null(strstr(text.p, "\n| cc | met | "));
	assert_non_null(strstr(text.p, "\n| torch | found | 2\\|5 | /t | - |\n")); /* a bar stays inside its cell */
	assert_non_null(
		strstr(text.p, "\n| triton | absent | - | not among the packages of this python3 | Without it "));
	struct buf again;
	buf_init(&again);
	preflight_markdown(&again, json_object(&k->a)); /* an empty document is no crash */
	assert_true(str_starts(buf_view(&again), "# Preflight\n\nNot ready at ?\n"));
	buf_release(&again);
	assert_false(preflight_write(&p, "/proc/nowhere", &e));
	assert_non_null(strstr(e.text, "preflight_check.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(toolset_found, begin, end),
		cmocka_unit_test_setup_teardown(toolset_faults, begin, end),
		cmocka_unit_test_setup_teardown(packages_come_and_go, begin, end),
		cmocka_unit_test_setup_teardown(broken_interpreters, begin, end),
		cmocka_unit_test_setup_teardown(torch_imported, begin, end),
		cmocka_unit_test_setup_teardown(counter_rights, begin, end),
		cmocka_unit_test_setup_teardown(gpu_facts, begin, end),
		cmocka_unit_test_setup_teardown(needs, begin, end),
		cmocka_unit_test_setup_teardown(torch_needs, begin, end),
		cmocka_unit_test_setup_teardown(written, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
