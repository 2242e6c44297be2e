/* The decompressed text of a trace file: plain, gzip, zstd, or the first entry of a zip archive.
 * In: a path. The form is told by the first bytes, never by the name.
 * Out: the text in order.
 * Never fails in the middle: damage ends the text and is kept as a sentence. */
#include "read/kineto/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/plain.h"
#include "read/kineto/inflate.h"

#define INPUT ((size_t)256 << 10)

enum form { FORM_PLAIN, FORM_GZIP, FORM_ZSTD, FORM_ZIP, FORM_ZIP_STORED };
struct input {
	int fd;
	enum form form;
	char *in;
	const char *p; /* unread input: p[0, n) */
	size_t n;
	uint64_t n_read; /* bytes of the file so far */
	uint64_t left;   /* of a stored zip entry */
	bool at_end, done, frame_open;
	struct inflate *z;
	ZSTD_DStream *zstd;
	char problem[256];
};

static void problem(struct input *s, const char *what)
{
	if (!s->problem[0])
		(void)snprintf(s->problem, sizeof s->problem, "%s at byte %llu of the file", what,
			       (unsigned long long)(s->n_read - s->n));
	s->done = true;
}

/* More input behind what is unread; false at the end of the file. */
static bool fill(struct input *s)
{
	if (s->at_end)
		return false;
	memmove(s->in, s->p, s->n);
	s->p = s->in;
	ssize_t n;
	do
		n = read(s->fd, s->in + s->n, INPUT - s->n);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		problem(s, strerror(errno));
	if (n <= 0) {
		s->at_end = true;
		return false;
	}
	s->n += (size_t)n;
	s->n_read += (uint64_t)n;
	return true;
}

static uint32_t le(const char *p, unsigned bytes)
{
	uint32_t v = 0;
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint32_t)(unsigned char)p[i] << 8 * i;
	return v;
}

static void take(struct input *s, size_t n)
{
	s->p += n;
	s->n -= n;
}

/* Local header of the first entry: signature, version, flags, method, time, crc, sizes, lengths. */
static bool zip_entry(struct input *s, const char *path, struct err *e)
{
	while (s->n < 30 && fill(s))
		;
	size_t name = s->n >= 30 ? le(s->p + 26, 2) + (size_t)le(s->p + 28, 2) : 0;
	while (s->n < 30 + name && fill(s))
		;
	if (s->n < 30 || s->n < 30 + name)
		return err_set(e, ERR_CORRUPT, "%s: zip archive is cut inside its first entry", path);
	unsigned flags = le(s->p + 6, 2), method = le(s->p + 8, 2);
	uint32_t size = le(s->p + 18, 4);
	if (flags & 1)
		return err_set(e, ERR_UNSUPPORTED, "%s: the zip entry is encrypted", path);
	if (method != 8 && (method != 0 || (flags & 8) || size == UINT32_MAX))
		return err_set(e, ERR_UNSUPPORTED, "%s: zip method %u is not read; unpack it first", path, method);
	s->form = method == 8 ? FORM_ZIP : FORM_ZIP_STORED;
	s->left = size;
	take(s, 30 + name);
	return true;
}

static bool detect(struct input *s, const char *path, struct err *e)
{
	while (s->n < 4 && fill(s))
		;
	if (s->n >= 2 && memcmp(s->p, "\x1f\x8b", 2) == 0)
		s->form = FORM_GZIP;
	else if (s->n >= 4 && memcmp(s->p, "\x28\xb5\x2f\xfd", 4) == 0)
		s->form = FORM_ZSTD;
	else if (s->n >= 4 && memcmp(s->p, "PK\3\4", 4) == 0 && !zip_entry(s, path, e))
		return false;
	if (s->form == FORM_GZIP || s->form == FORM_ZIP)
		s->z = inflate_new(s->form == FORM_GZIP ? INFLATE_GZIP : INFLATE_RAW, true);
	if (s->form == FORM_ZSTD)
		s->zstd = ZSTD_createDStream();
	bool missing = ((s->form == FORM_GZIP || s->form == FORM_ZIP) && !s->z) || (s->form == FORM_ZSTD && !s->zstd);
	return !missing || err_set(e, ERR_SYSTEM, "%s: out of memory", path);
}

struct input *input_open(const char *path, struct err *e)
{
	struct input *s = calloc(1, sizeof *s);
	char *in = malloc(INPUT);
	if (!s || !in)
		BUG("out of memory");
	s->in = in;
	s->p = in;
	s->fd = plain_open(path, e);
	if (s->fd < 0) {
		input_close(s);
		return NULL;
	}
	(void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	if (!detect(s, path, e)) {
		input_close(s);
		return NULL;
	}
	return s;
}

void input_position(const struct input *s, uint64_t *done, uint64_t *size)
{
	struct stat st;
	*done = s->n_read;
	*size = fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

void input_close(struct input *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	inflate_free(s->z);
	(void)ZSTD_freeDStream(s->zstd);
	free(s->in);
	free(s);
}

static size_t read_plain(struct input *s, char *p, size_t cap)
{
	if (s->n) {
		size_t n = s->n < cap ? s->n : cap;
		memcpy(p, s->p, n);
		take(s, n);
		return n;
	}
	ssize_t n;
	do
		n = read(s->fd, p, cap);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		problem(s, strerror(errno));
	s->n_read += n > 0 ? (uint64_t)n : 0;
	return n > 0 ? (size_t)n : 0;
}

static size_t read_stored(struct input *s, char *p, size_t cap)
{
	if (cap > s->left)
		cap = (size_t)s->left;
	size_t n = cap ? read_plain(s, p, cap) : 0;
	if (!n && s->left)
		problem(s, "the zip entry is cut");
	s->left -= n;
	return n;
}

/* A gzip member has ended: another one, padding, or something else behind it. */
static void next_member(struct input *s)
{
	if (s->form == FORM_ZIP) {
		s->done = true;
		return;
	}
	while (s->n < 2 && fill(s))
		;
	if (s->n >= 2 && memcmp(s->p, "\x1f\x8b", 2) == 0) {
		inflate_restart(s->z);
		return;
	}
	for (; s->n && *s->p == 0; take(s, 1))
		if (s->n == 1)
			(void)fill(s);
	if (s->n)
		problem(s, "bytes that are no gzip member follow");
	s->done = true;
}

static size_t read_inflate(struct input *s, char *p, size_t cap)
{
	char *out = p;
	size_t room = cap;
	while (room && !s->done) {
		if (!s->n && !fill(s)) {
			problem(s, s->form == FORM_ZIP ? "the zip entry is cut" : "the gzip stream is cut");
			break;
		}
		enum inflate_end end = inflate_run(s->z, &s->p, &s->n, &out, &room);
		if (end == INFLATE_DAMAGED)
			problem(s, "the compressed data are damaged");
		else if (end == INFLATE_DONE)
			next_member(s);
	}
	return cap - room;
}

static size_t read_zstd(struct input *s, char *p, size_t cap)
{
	ZSTD_outBuffer out = {p, cap, 0};
	while (out.pos < cap && !s->done) {
		if (!s->n && !fill(s)) {
			if (s->frame_open)
				problem(s, "the zstd frame is cut");
			s->done = true;
			break;
		}
		ZSTD_inBuffer in = {s->p, s->n, 0};
		size_t status = ZSTD_decompressStream(s->zstd, &out, &in);
		take(s, in.pos);
		s->frame_open = status != 0;
		if (ZSTD_isError(status))
			problem(s, "the zstd data are damaged");
	}
	return out.pos;
}

size_t input_read(struct input *s, char *p, size_t cap)
{
	if (s->done)
		return 0;
	switch (s->form) {
	case FORM_PLAIN:
		return read_plain(s, p, cap);
	case FORM_ZIP_STORED:
		return read_stored(s, p, cap);
	case FORM_GZIP:
	case FORM_ZIP:
		return read_inflate(s, p, cap);
	case FORM_ZSTD:
		return read_zstd(s, p, cap);
	}
	return 0;
}

const char *input_compression(const struct input *s)
{
	static const char *const names[] = {"none", "gzip", "zstd", "zip", "zip"};
	return names[s->form];
}

struct str input_problem(const struct input *s)
{
	return str_from(s->problem);
}
