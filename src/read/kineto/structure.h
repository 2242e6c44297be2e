/* Structure of a piece of a trace: where events begin and end and where strings are, 64 bytes at a time. One algorithm, two
 * block readers: AVX2 and its scalar twin, which give the same bits. Inside read/kineto only. */
#ifndef ASSAY_READ_KINETO_STRUCTURE_H
#define ASSAY_READ_KINETO_STRUCTURE_H

#include "base/attr.h"

struct event_span { /* offsets in the piece: [begin, end) */
	uint32_t begin, end;
};
#define PIECE_EVENTS ((size_t)1 << 15)
#define PIECE_PAD ((size_t)64) /* readable bytes behind a piece, filled with blanks */

struct piece {
	char *p;
	size_t n, cap;    /* bytes; cap without the pad */
	uint64_t offset;  /* of p[0] in the (decompressed) trace */
	uint64_t *quotes; /* per 64 bytes: unescaped quotation marks; one more word of ones behind the end */
	struct event_span *events;
	size_t n_events;
};

enum structure_end {
	STRUCTURE_MORE, /* the piece is used up to *at: an event that is not complete begins there, or nothing is left */
	STRUCTURE_CLOSED, /* the array of events ends at *at (its closing bracket) */
	STRUCTURE_BROKEN, /* a line break inside a string: the event that begins at *at, or the text there, is broken */
};
/* Appends the events that lie whole in p->p[from, p->n). At `from` the text must be between two events. */
enum structure_end structure_scan(struct piece *p, size_t from, size_t *at);
/* The twins, for tests; structure_scan uses the best that the machine has. */
enum structure_end structure_scan_scalar(struct piece *p, size_t from, size_t *at);
bool structure_has_avx2(void);

#endif
