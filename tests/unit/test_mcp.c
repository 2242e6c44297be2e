/* Unit tests of door/quote and door/mcp: command lines of requests, the workspace border, digests.
 * In: made-up requests, a folder with links.
 * Out: cmocka's report.
 * Never: starts a verb. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <unistd.h>

#include "base/file.h"
#include "door/mcp/inside.h"
#include "door/quote.h"

static struct json *parse(struct arena *a, const char *text)
{
	struct err e;
	struct json *j = json_parse(a, "test", str_from(text), JSON_STRICT, &e);
	if (!j)
		fail_msg("%s", e.text);
	return j;
}

static void commands(void **state)
{
	struct arena a;
	const struct verb *bench = verb_find("bench"), *profile = verb_find("profile");
	(void)state;
	arena_init(&a);
	assert_string_equal(quote_request(&a, bench->spec,
					  parse(&a, "{\"args\":[\"my kernel.cu\"],\"repeat\":20,\"atol\":1e-05,"
						    "\"dims\":{\"M\":4096},\"skip_integrity\":true}")),
			    "assay bench 'my kernel.cu' --atol=1e-05 --repeat=20 --skip-integrity --M=4096");
	assert_string_equal(quote_request(&a, bench->spec, parse(&a, "{\"args\":[\"it's\"],\"flags\":\"-O2 -DX\"}")),
			    "assay bench 'it'\\''s' '--flags=-O2 -DX'");
	assert_string_equal(
		quote_request(&a, profile->spec, parse(&a, "{\"tool\":\"nsys\",\"command\":[\"./app\",\"-x\"]}")),
		"assay profile --tool=nsys -- ./app -x");
	arena_release(&a);
}

static void border(void **state)
{
	struct arena a;
	struct err e;
	char folder[] = "/tmp/assay-mcp-XXXXXX";
	(void)state;
	arena_init(&a);
	assert_non_null(mkdtemp(folder));
	const char *root = path_real(&a, folder), *inner = path_join(&a, root, "in"),
		   *link = path_join(&a, root, "in/out");
	assert_true(file_mkdirs(inner, 0700, &e));
	assert_int_equal(symlink("/etc", link), 0);
	static const char *const inside[] = {"in", "in/new.cu", "in/../k.c", "new/deep/er", "."};
	static const char *const outside[] = {"..",         "../x",         "in/out",      "in/out/passwd",
					      "in/../../x", "none/../../x", "/etc/passwd", "/"};
	for (size_t i = 0; i < COUNT_OF(inside); i++)
		assert_non_null(mcp_path_inside(&a, root, inside[i]));
	for (size_t i = 0; i < COUNT_OF(outside); i++)
		assert_null(mcp_path_inside(&a, root, outside[i]));
	assert_non_null(mcp_path_inside(&a, root, inner));
	/* A folder whose name begins alike is another one. */
	assert_null(mcp_path_inside(&a, root, arena_printf(&a, "%s-other/x", root)));
	struct mcp m = {.root = root};
	const struct opt_spec *s = verb_find("bench")->spec;
	const char *why;
	assert_true(mcp_inside_root(
		&m, &a, s, parse(&a, "{\"args\":[\"k.c\"],\"flags\":\"-O3 -DA=1\",\"entry\":\"solve\"}"), &why));
	assert_true(mcp_inside_root(&m, &a, s, parse(&a, "{\"args\":[\"k.c\"],\"nvcc_bin\":\"/usr/bin/nvcc\"}"), &why));
	assert_false(mcp_inside_root(&m, &a, s, parse(&a, "{\"args\":[\"k.c::@/lib/x.so\"]}"), &why));
	assert_false(mcp_inside_root(&m, &a, s, parse(&a, "{\"args\":[\"k.c\"],\"flags\":\"-O3 -I/etc\"}"), &why));
	assert_false(mcp_inside_root(&m, &a, s, parse(&a, "{\"args\":[\"k.c\"],\"ref\":\"~/ref.py\"}"), &why));
	assert_false(mcp_inside_root(&m, &a, s, parse(&a, "{\"args\":[\"in/out/x.c\"]}"), &why));
	assert_true(file_remove_tree(root, &e));
	arena_release(&a);
}

static size_t size_of(const struct json *j)
{
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	size_t n = b.n;
	buf_release(&b);
	return n;
}

static void digests(void **state)
{
	struct arena a;
	(void)state;
	arena_init(&a);
	struct json *j = json_object(&a), *samples = json_set_array(json_set_object(j, "kernel"), "samples_ms");
	json_set_f64(json_get(j, "kernel"), "median_ms", 0.1);
	json_set_cstr(json_set_object(j, "verdict"), "word", "passed");
	for (int i = 0; i < 5000; i++)
		json_push_f64(samples, i / 7.0);
	for (int i = 0; i < 60; i++)
		json_set_cstr(json_set_object(j, arena_printf(&a, "part%d", i)), "text",
			      "some text that takes room in the answer");
	struct json *d = mcp_digest(&a, j, MCP_DIGEST_BYTES);
	assert_true(size_of(d) <= MCP_DIGEST_BYTES);
	assert_string_equal(json_path(d, "verdict.word")->text.p, "passed");
	assert_true(json_path(d, "kernel.median_ms")->real == 0.1);
	assert_string_equal(json_path(d, "kernel.samples_ms")->text.p, "[5000 items]");
	assert_int_equal(d->n, j->n); /* every part is at least counted */
	/* What fits is whole, with its numbers as they are. */
	struct json *small = parse(&a, "{\"a\":18446744073709551615,\"b\":[1,2.5,null,true],\"c\":{\"d\":\"x\"}}");
	assert_int_equal(size_of(mcp_digest(&a, small, 1000)), size_of(small));
	/* A budget that holds nothing still gives an object. */
	assert_int_equal(mcp_digest(&a, j, 30)->type, JSON_OBJECT);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
		cmocka_unit_test(border),
		cmocka_unit_test(digests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
