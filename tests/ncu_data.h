/* Test data of the Nsight readers: packed files in tests/data, and the fixtures folder where it is there. */
#ifndef ASSAY_TESTS_NCU_DATA_H
#define ASSAY_TESTS_NCU_DATA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

/* A whole file; *.zst and *.ncu-repz unpacked. Fails the test when it is not there. */
static inline struct str data_read(struct arena *a, const char *path)
{
	struct str s;
	struct err e = {0};
	if (!file_read(a, &s, path, 64u << 20, &e))
		fail_msg("%s", e.text);
	if (s.n < 4 || memcmp(s.p, "\x28\xb5\x2f\xfd", 4) != 0)
		return s;
	unsigned long long n = ZSTD_getFrameContentSize(s.p, s.n);
	if (n > 64u << 20)
		fail_msg("%s: unpacked size not given", path);
	char *p = arena_alloc(a, (size_t)n + 1);
	assert_int_equal(ZSTD_decompress(p, (size_t)n, s.p, s.n), n);
	return (struct str){p, (size_t)n};
}

/* $ASSAY_FIXTURES or ../shared/fixtures; NULL when neither is there. */
static inline const char *data_fixtures(void)
{
	const char *env = getenv("ASSAY_FIXTURES");
	if (env)
		return env;
	return file_is_dir("../shared/fixtures") ? "../shared/fixtures" : NULL;
}

#endif
