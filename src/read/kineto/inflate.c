/* Deflate decoder behind one door: ISA-L loaded at run time, or zlib.
 * In: compressed bytes in pieces.
 * Out: the text, and whether the member ended or is damaged.
 * Never needs ISA-L to be there: it is about twice as fast, nothing else. */
#include "read/kineto/inflate.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The beginning of ISA-L's struct inflate_state, the same from 2.19 to 2.31; the library's own is 87,368 bytes. */
struct isal_state {
	uint8_t *next_out;
	uint32_t avail_out, total_out;
	uint8_t *next_in;
	uint64_t read_in;
	uint32_t avail_in;
	int32_t read_in_length;
	uint32_t large_short[4096];
	uint16_t large_long[1264], small_short[1024], small_long[80];
	uint32_t block_state, dict_length, bfinal, crc_flag;
	uint8_t rest[131072];
};
enum { ISAL_FINISH = 5, ISAL_RAW = 0, ISAL_GZIP = 1 };

struct isal_calls {
	void (*init)(struct isal_state *);
	int (*run)(struct isal_state *);
};
struct inflate {
	enum inflate_format format;
	struct isal_calls isal; /* run NULL: zlib */
	struct isal_state *state;
	z_stream z;
};

static bool isal_load(struct isal_calls *out)
{
	static const char *const names[] = {"libisal.so.2", "libisal.so"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		void *lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (!lib)
			continue;
		void *init = dlsym(lib, "isal_inflate_init"), *run = dlsym(lib, "isal_inflate");
		if (init && run) {
			memcpy(&out->init, &init, sizeof init); /* a function pointer out of an object pointer */
			memcpy(&out->run, &run, sizeof run);
			return true;
		}
	}
	return false;
}

void inflate_restart(struct inflate *z)
{
	if (!z->isal.run) {
		(void)inflateReset(&z->z);
		return;
	}
	z->isal.init(z->state);
	z->state->crc_flag = z->format == INFLATE_GZIP ? ISAL_GZIP : ISAL_RAW;
}

struct inflate *inflate_new(enum inflate_format f, bool use_isal)
{
	struct inflate *z = calloc(1, sizeof *z);
	if (!z)
		return NULL;
	z->format = f;
	if (use_isal && isal_load(&z->isal) && (z->state = calloc(1, sizeof *z->state)) != NULL) {
		inflate_restart(z);
		return z;
	}
	z->isal.run = NULL;
	if (inflateInit2(&z->z, f == INFLATE_GZIP ? 15 + 16 : -15) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

void inflate_free(struct inflate *z)
{
	if (!z)
		return;
	if (!z->isal.run)
		(void)inflateEnd(&z->z);
	free(z->state);
	free(z);
}

bool inflate_is_isal(const struct inflate *z)
{
	return z->isal.run != NULL;
}

static uint32_t clip(size_t n)
{
	return n > (1u << 30) ? 1u << 30 : (uint32_t)n;
}

static enum inflate_end run_isal(struct inflate *z, const char **in, size_t *n_in, char **out, size_t *n_out)
{
	struct isal_state *s = z->state;
	uint32_t room = clip(*n_out), have = clip(*n_in);
	s->next_in = (uint8_t *)(uintptr_t)*in;
	s->avail_in = have;
	s->next_out = (uint8_t *)*out;
	s->avail_out = room;
	int status = z->isal.run(s);
	*in += have - s->avail_in;
	*n_in -= have - s->avail_in;
	*out += room - s->avail_out;
	*n_out -= room - s->avail_out;
	if (status < 0)
		return INFLATE_DAMAGED;
	return s->block_state == ISAL_FINISH ? INFLATE_DONE : INFLATE_MORE;
}

enum inflate_end inflate_run(struct inflate *z, const char **in, size_t *n_in, char **out, size_t *n_out)
{
	if (z->isal.run)
		return run_isal(z, in, n_in, out, n_out);
	uint32_t room = clip(*n_out), have = clip(*n_in);
	z->z.next_in = (Bytef *)(uintptr_t)*in;
	z->z.avail_in = have;
	z->z.next_out = (Bytef *)*out;
	z->z.avail_out = room;
	int status = inflate(&z->z, Z_NO_FLUSH);
	*in += have - z->z.avail_in;
	*n_in -= have - z->z.avail_in;
	*out += room - z->z.avail_out;
	*n_out -= room - z->z.avail_out;
	if (status == Z_STREAM_END)
		return INFLATE_DONE;
	return status == Z_OK || status == Z_BUF_ERROR ? INFLATE_MORE : INFLATE_DAMAGED;
}
