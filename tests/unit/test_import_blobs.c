/* Files of tensors beside a problem: what is opened, what is told instead; no pipe is waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "measure/import_blobs.h"

static void opens(void **state)
{
	(void)state;
	static const struct {
		const char *name, *why; /* NULL: it is opened */
	} files[] = {{"plain", NULL},
		     {"pipe", "is no plain file"},
		     {"device", "is no plain file"},
		     {"large", "64 MiB of all workloads together"},
		     {"absent", "no such file"},
		     {"../plain", "leaves the data set"}};
	char folder[] = "/tmp/assay-blobs-XXXXXX";
	struct arena a;
	struct err e;
	struct buf lines;
	struct import_blobs b;
	arena_init(&a);
	buf_init(&lines);
	assert_non_null(mkdtemp(folder));
	assert_true(file_write_str(path_join(&a, folder, "plain"), STR("12345678"), &e));
	assert_int_equal(mkfifo(path_join(&a, folder, "pipe"), 0600), 0);
	assert_int_equal(symlink("/dev/zero", path_join(&a, folder, "device")), 0);
	assert_true(file_write_str(path_join(&a, folder, "large"), STR(""), &e));
	assert_int_equal(truncate(path_join(&a, folder, "large"), INT64_C(1) << 40), 0);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		buf_printf(&lines,
			   "{\"definition\": \"d\", \"workload\": {\"inputs\": {\"x\": {\"type\": \"safetensors\", "
			   "\"path\": \"%s\"}}}}\n",
			   files[i].name);
	struct json *sources = json_object(&a);
	json_set_cstr(sources, "d.json", "{\"name\": \"d\"}");
	json_set_str(sources, "w.jsonl", buf_view(&lines));
	struct import_problem p = {.path = path_join(&a, folder, "d.json"), .sources = sources};
	import_blobs_open(&b, &a, &p);
	assert_int_equal(b.n, 1);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		const struct json *x = json_get(b.list, files[i].name);
		struct str why = json_str(x, "why", STR(""));
		assert_true(files[i].why ? str_find(why, str_from(files[i].why)) != SIZE_MAX
					 : why.n == 0 && json_get(x, "fd"));
	}
	import_blobs_close(&b);
	assert_true(file_remove_tree(folder, &e));
	buf_release(&lines);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(opens)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
