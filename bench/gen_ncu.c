/* Makes a large .ncu-rep: the blocks of one report, its results repeated until the size is reached.
 * In: SOURCE.ncu-rep or SOURCE.ncu-repz, TARGET, BYTES.
 * Out: TARGET.
 * Never: changes a result; repeated blocks lose only their string table, which stands in the first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "read/ncu/pb.h"

static uint32_t u32_at(struct str s, size_t at)
{
	uint32_t v;
	memcpy(&v, s.p + at, 4);
	return v;
}

static void put_u32(struct buf *out, size_t v)
{
	uint32_t x = (uint32_t)v;
	buf_add(out, &x, 4);
}

/* The block at `at` again, without strings; returns its end. */
static size_t repeat_block(struct buf *out, struct str s, size_t at, bool *has_results)
{
	struct str head = str_sub(s, at + 4, u32_at(s, at));
	struct buf kept;
	uint64_t payload = 0, n = 0;
	buf_init(&kept);
	struct pb w = pb_of(head);
	struct pb_field f;
	for (const unsigned char *from = w.p; pb_next(&w, &f); from = w.p) {
		if (f.number == 5)
			payload = f.u;
		if (f.number == 2 || (f.number >= 7 && f.number <= 9))
			n += f.u;
		if (f.number != 4)
			buf_add(&kept, from, (size_t)(w.p - from));
	}
	*has_results = n > 0;
	size_t end = at + 4 + head.n + (size_t)payload;
	if (end > s.n) {
		fprintf(stderr, "gen_ncu: the source is cut\n");
		exit(2);
	}
	if (*has_results) {
		put_u32(out, kept.n);
		buf_str(out, buf_view(&kept));
		buf_add(out, s.p + at + 4 + head.n, (size_t)payload);
	}
	buf_release(&kept);
	return end;
}

static struct str unpacked(struct str s)
{
	if (s.n < 4 || memcmp(s.p, "\x28\xb5\x2f\xfd", 4) != 0)
		return s;
	unsigned long long n = ZSTD_getFrameContentSize(s.p, s.n);
	char *p = n < 1u << 30 ? malloc((size_t)n) : NULL; /* lives as long as the program */
	if (!p || ZSTD_decompress(p, (size_t)n, s.p, s.n) != n) {
		fprintf(stderr, "gen_ncu: the source does not unpack\n");
		exit(2);
	}
	return (struct str){p, (size_t)n};
}

int main(int argc, char **argv)
{
	struct file_map m;
	struct err e = {0};
	struct buf out;
	uint64_t bytes;
	if (argc != 4 || !str_u64(str_from(argv[3]), &bytes)) {
		fprintf(stderr, "usage: gen_ncu SOURCE TARGET BYTES\n");
		return 2;
	}
	if (!file_map(&m, argv[1], &e)) {
		fprintf(stderr, "gen_ncu: %s\n", e.text);
		return 2;
	}
	struct str s = unpacked((struct str){m.p, m.n});
	buf_init(&out);
	buf_str(&out, s);
	while (out.n < bytes) {
		bool any = false, has_results;
		for (size_t at = 8 + u32_at(s, 4); at < s.n && out.n < bytes;) {
			at = repeat_block(&out, s, at, &has_results);
			any |= has_results;
		}
		if (!any)
			break;
	}
	if (!file_write(argv[2], out.p, out.n, &e)) {
		fprintf(stderr, "gen_ncu: %s\n", e.text);
		return 4;
	}
	buf_release(&out);
	file_unmap(&m);
	return 0;
}
