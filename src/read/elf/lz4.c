/* LZ4 block decoder, for device images that nvcc stores with --compress-mode=speed.
 * In: one LZ4 block and the size that it must give.
 * Out: the bytes, appended to a buffer.
 * Never reads outside the block nor copies from before the start of the output. */
#include "read/elf/internal.h"

#include <string.h>

/* Format: "LZ4 Block Format Description" of LZ4 1.9: token, literals, 16-bit offset, match. */
struct input {
	const unsigned char *p, *end;
};

/* 15 in a nibble continues in bytes of 255 */
static bool length(struct input *in, size_t *n)
{
	unsigned char c;
	if (*n < 15)
		return true;
	do {
		if (in->p == in->end || *n > ELF_MAX_IMAGE)
			return false;
		c = *in->p++;
		*n += c;
	} while (c == 255);
	return true;
}

static bool literals(struct input *in, struct buf *out, size_t start, size_t n, uint64_t bytes)
{
	if (n > (size_t)(in->end - in->p) || out->n - start + n > bytes)
		return false;
	buf_add(out, in->p, n);
	in->p += n;
	return true;
}

static bool match(struct input *in, struct buf *out, size_t start, size_t n, uint64_t bytes)
{
	if (in->end - in->p < 2)
		return false;
	size_t offset = in->p[0] | (size_t)in->p[1] << 8;
	in->p += 2;
	if (!length(in, &n))
		return false;
	n += 4;
	if (!offset || offset > out->n - start || out->n - start + n > bytes)
		return false;
	buf_reserve(out, n);
	char *to = out->p + out->n;
	const char *from = to - offset;
	if (offset >= n) {
		memcpy(to, from, n);
	} else {
		for (size_t i = 0; i < n; i++) /* overlapping: repeats the last `offset` bytes */
			to[i] = from[i];
	}
	out->n += n;
	out->p[out->n] = 0;
	return true;
}

bool lz4_block(struct buf *out, struct str block, uint64_t bytes)
{
	const unsigned char *p = (const unsigned char *)block.p;
	struct input in = {p, p + block.n};
	size_t start = out->n;
	while (in.p < in.end) {
		unsigned token = *in.p++;
		size_t n = token >> 4;
		if (!length(&in, &n) || !literals(&in, out, start, n, bytes))
			return false;
		if (in.p == in.end)
			break; /* the last sequence has literals only */
		if (!match(&in, out, start, token & 15, bytes))
			return false;
	}
	return out->n - start == bytes;
}
