/* A link: framed messages over a socket, with descriptors.
 * In: messages. Out: messages; deadlines and closed peers as results, nonsense as err.
 * The frame header is read first, then the payload into one buffer that the next receive reuses.
 * Never: trusts a length above the bound, keeps a descriptor that nobody asked for. */
#include "wire/link.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"

enum { FRAME_BYTES = 8, SEND_WAIT_MS = 30000 };

void link_init(struct link *l, int fd, const char *peer)
{
	*l = (struct link){.fd = fd, .out_fd = fd, .peer = peer, .max_bytes = WIRE_MAX_BYTES};
	buf_init(&l->in);
	buf_init(&l->out);
}

void link_init_file(struct link *l, int fd, const char *peer)
{
	link_init(l, fd, peer);
	l->out_fd = -1;
}

void link_release(struct link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	buf_release(&l->in);
	buf_release(&l->out);
}

static void set_rights(struct msghdr *h, char *control, size_t n, int fd)
{
	h->msg_control = control;
	h->msg_controllen = n;
	struct cmsghdr *c = CMSG_FIRSTHDR(h);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
}

static ssize_t send_some(struct link *l, struct str s, int fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
	union {
		const char *in;
		void *out;
	} base = {s.p};
	struct iovec v = {base.out, s.n};
	struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1};
	if (fd >= 0)
		set_rights(&h, control, sizeof(control), fd);
	return sendmsg(l->out_fd, &h, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void link_frame(struct buf *out, const struct wire_message *m)
{
	size_t at = out->n;
	buf_repeat(out, 0, FRAME_BYTES);
	wire_encode(out, m);
	size_t n = out->n - at - FRAME_BYTES;
	char *head = out->p + at;
	for (size_t i = 0; i < 4; i++)
		head[i] = (char)(n >> (8 * i));
	head[4] = (char)m->type;
	head[5] = (char)((unsigned)m->type >> 8);
	head[6] = WIRE_VERSION;
}

bool link_send(struct link *l, const struct wire_message *m, int fd, struct err *e)
{
	if (l->out_fd < 0)
		return true;
	buf_clear(&l->out);
	link_frame(&l->out, m);
	if (l->out.n - FRAME_BYTES > WIRE_MAX_BYTES)
		return err_set(e, ERR_PROTOCOL, "message %s to the %s: %zu bytes are too many", wire_name(m->type),
			       l->peer, l->out.n);
	struct str rest = buf_view(&l->out);
	while (rest.n) {
		ssize_t put = send_some(l, rest, fd);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EAGAIN) {
			struct pollfd p = {l->out_fd, POLLOUT, 0};
			if (poll(&p, 1, SEND_WAIT_MS) > 0)
				continue;
		}
		if (put < 0)
			return err_errno(e, ERR_PROTOCOL, errno, "message %s cannot be sent to the %s",
					 wire_name(m->type), l->peer);
		fd = -1; /* the descriptor went with the first byte */
		rest = str_sub(rest, (size_t)put, rest.n);
	}
	return true;
}

static int take_rights(struct msghdr *h)
{
	int fd = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int got;
			memcpy(&got, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (fd < 0)
				fd = got;
			else
				close(got);
		}
	}
	return fd;
}

static ssize_t receive_some(struct link *l, void *p, size_t n, int *fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {0};
	struct iovec v = {p, n};
	struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	ssize_t got = recvmsg(l->fd, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got < 0 && errno == ENOTSOCK)
		return read(l->fd, p, n);
	int came = got >= 0 ? take_rights(&h) : -1;
	if (came >= 0 && fd && *fd < 0)
		*fd = came;
	else if (came >= 0)
		close(came);
	return got;
}

static enum link_result await_input(struct link *l, int64_t deadline)
{
	for (;;) {
		if (sig_pending())
			return LINK_STOPPED;
		int64_t left = deadline ? deadline - clock_ns() : INT64_MAX;
		if (left <= 0)
			return LINK_TIMEOUT;
		int wait_ms = left > 100000000 ? 100 : (int)(left / 1000000) + 1;
		struct pollfd p = {l->fd, POLLIN, 0};
		if (poll(&p, 1, wait_ms) > 0)
			return LINK_OK;
	}
}

static enum link_result receive_all(struct link *l, char *p, size_t n, int *fd, int64_t deadline)
{
	while (n) {
		ssize_t got = receive_some(l, p, n, fd);
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return LINK_CLOSED;
		if (got < 0) {
			enum link_result r = await_input(l, deadline);
			if (r != LINK_OK)
				return r;
			continue;
		}
		p += got;
		n -= (size_t)got;
	}
	return LINK_OK;
}

static enum link_result receive_message(struct link *l, struct wire_message *out, int *fd, int64_t deadline,
					struct err *e)
{
	unsigned char head[FRAME_BYTES];
	enum link_result r = receive_all(l, (char *)head, sizeof(head), fd, deadline);
	if (r != LINK_OK)
		return r;
	uint64_t n = head[0] | (uint64_t)head[1] << 8 | (uint64_t)head[2] << 16 | (uint64_t)head[3] << 24;
	unsigned type = head[4] | (unsigned)head[5] << 8, version = head[6] | (unsigned)head[7] << 8;
	if (version != WIRE_VERSION || n > l->max_bytes) {
		err_set(e, ERR_PROTOCOL, "the %s sent what is no message (version %u, %llu bytes)", l->peer, version,
			(unsigned long long)n);
		return LINK_BROKEN;
	}
	buf_clear(&l->in);
	buf_reserve(&l->in, (size_t)n);
	r = receive_all(l, l->in.p, (size_t)n, fd, deadline);
	if (r != LINK_OK)
		return r;
	l->in.n = (size_t)n;
	if (!wire_decode(out, (enum wire_type)type, buf_view(&l->in), e)) {
		err_prefix(e, "from the %s", l->peer);
		return LINK_BROKEN;
	}
	return LINK_OK;
}

enum link_result link_receive(struct link *l, struct wire_message *out, int *fd, int64_t deadline_ns, struct err *e)
{
	if (fd)
		*fd = -1;
	enum link_result r = receive_message(l, out, fd, deadline_ns, e);
	if (r != LINK_OK && fd && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return r;
}
