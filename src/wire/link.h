/* A link: one end of a socket pair (or, for the parent's files, a descriptor) that carries messages, each with at most
 * one file descriptor beside it. Frame: u32 payload length, u16 type, u16 WIRE_VERSION, little-endian. */
#ifndef ASSAY_WIRE_LINK_H
#define ASSAY_WIRE_LINK_H

#include "wire/message.h"

struct link {
	int fd;
	int out_fd;         /* answers go there; the same as fd unless the messages come from a file */
	struct buf in;      /* the last received payload: strings of the last message point here */
	struct buf out;     /* scratch for sending */
	const char *peer;   /* for messages: "worker", "keeper" */
	uint64_t max_bytes; /* largest payload accepted */
};

enum link_result {
	LINK_OK,
	LINK_CLOSED,  /* the peer is gone; no err is set */
	LINK_TIMEOUT, /* the deadline passed; no err is set */
	LINK_STOPPED, /* a signal of ours arrived; no err is set */
	LINK_BROKEN   /* the peer sent what is no message: err says what */
};

void link_init(struct link *l, int fd, const char *peer);
void link_release(struct link *l); /* closes fd */
/* Appends the framed message: what link_send sends, for files of messages. */
void link_frame(struct buf *out, const struct wire_message *m);
/* fd -1: none. Not blocking for ever: a peer that does not read for 30 s counts as closed. */
MUST_USE bool link_send(struct link *l, const struct wire_message *m, int fd, struct err *e);
/* deadline_ns: on clock_ns(), 0: none. *fd gets the descriptor that came along, or -1; it is the caller's.
 * fd NULL: a descriptor that comes is closed. */
enum link_result link_receive(struct link *l, struct wire_message *out, int *fd, int64_t deadline_ns, struct err *e);
/* A link whose messages come from a file (a job for a tool's process): answers are dropped. */
void link_init_file(struct link *l, int fd, const char *peer);

#endif
