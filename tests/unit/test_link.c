/* Links: messages with and without a descriptor, in pieces, too large, of another version, from a peer that is gone. */
#include "wire/link.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"

struct ends {
	struct link a, b;
};

static int start(void **state)
{
	static struct ends ends;
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	link_init(&ends.a, pair[0], "worker");
	link_init(&ends.b, pair[1], "parent");
	*state = &ends;
	return 0;
}

static int stop(void **state)
{
	struct ends *x = *state;
	link_release(&x->a);
	link_release(&x->b);
	return 0;
}

static struct wire_message text_message(const char *text)
{
	struct wire_message m = {.type = WIRE_TYPE_READY};
	m.u.ready.facts = str_from(text);
	return m;
}

static void send_raw(const struct ends *x, const void *p, size_t n)
{
	assert_int_equal(write(x->b.fd, p, n), n);
}

static void there_and_back(void **state)
{
	struct ends *x = *state;
	struct wire_message m = text_message("{}"), got;
	struct err e = {ERR_NONE, ""};
	int fd = 5;
	assert_true(link_send(&x->b, &m, -1, &e));
	assert_true(link_send(&x->b, &m, -1, &e));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(link_receive(&x->a, &got, &fd, 0, &e), LINK_OK);
		assert_int_equal(got.type, WIRE_TYPE_READY);
		assert_true(str_is(got.u.ready.facts, "{}"));
		assert_int_equal(fd, -1);
	}
}

static void with_descriptor(void **state)
{
	struct ends *x = *state;
	struct wire_message m = text_message("here"), got;
	struct err e = {ERR_NONE, ""};
	int file = file_memfd("test", 0, &e), fd = -1;
	char back[8] = "";
	assert_true(file >= 0);
	assert_int_equal(pwrite(file, "tensors", 7, 0), 7);
	assert_true(link_send(&x->b, &m, file, &e));
	assert_true(link_send(&x->b, &m, file, &e));
	close(file);
	assert_int_equal(link_receive(&x->a, &got, &fd, 0, &e), LINK_OK);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(pread(fd, back, 7, 0), 7);
	assert_string_equal(back, "tensors");
	close(fd);
	int before = dup(x->a.fd);
	close(before);
	assert_int_equal(link_receive(&x->a, &got, NULL, 0, &e), LINK_OK); /* not asked for: closed */
	int after = dup(x->a.fd);
	assert_int_equal(before, after);
	close(after);
}

/* Three descriptors on one message: one is kept, the others are closed. */
static void many_descriptors(void **state)
{
	struct ends *x = *state;
	struct wire_message m = text_message(""), got;
	struct err e = {ERR_NONE, ""};
	struct buf frame;
	buf_init(&frame);
	link_frame(&frame, &m);
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {0};
	struct iovec v = {frame.p, frame.n};
	struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	const int three[3] = {0, 1, 2};
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(three));
	memcpy(CMSG_DATA(c), three, sizeof(three));
	assert_int_equal(sendmsg(x->b.fd, &h, 0), frame.n);
	int before = dup(x->a.fd), fd;
	close(before);
	assert_int_equal(link_receive(&x->a, &got, &fd, 0, &e), LINK_OK);
	assert_true(fd >= 0);
	close(fd);
	int after = dup(x->a.fd);
	assert_int_equal(before, after);
	close(after);
	buf_release(&frame);
}

static void in_pieces(void **state)
{
	struct ends *x = *state;
	struct wire_message m = text_message("slowly"), got;
	struct err e = {ERR_NONE, ""};
	struct buf frame;
	buf_init(&frame);
	link_frame(&frame, &m);
	pid_t pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < frame.n; i++) {
			clock_sleep_ns(100000);
			if (write(x->b.fd, frame.p + i, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	assert_int_equal(link_receive(&x->a, &got, NULL, 0, &e), LINK_OK);
	assert_true(str_is(got.u.ready.facts, "slowly"));
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	buf_release(&frame);
}

/* A message larger than the socket's buffer: the sender waits for the reader. */
static void large(void **state)
{
	struct ends *x = *state;
	struct wire_message m = {.type = WIRE_TYPE_ROWS}, got;
	struct err e = {ERR_NONE, ""};
	size_t n = 8u << 20;
	char *p = malloc(n);
	assert_non_null(p);
	for (size_t i = 0; i < n; i++)
		p[i] = (char)(i * 7 >> 3);
	m.u.rows.rows = (struct str){p, n};
	pid_t pid = fork();
	if (pid == 0)
		_exit(link_send(&x->b, &m, -1, &e) ? 0 : 1);
	assert_int_equal(link_receive(&x->a, &got, NULL, 0, &e), LINK_OK);
	assert_int_equal(got.u.rows.rows.n, n);
	assert_memory_equal(got.u.rows.rows.p, p, n);
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	free(p);
}

static void too_large_to_send(void **state)
{
	struct ends *x = *state;
	struct wire_message m = {.type = WIRE_TYPE_ROWS};
	struct err e = {ERR_NONE, ""};
	size_t n = WIRE_MAX_BYTES;
	char *p = calloc(1, n);
	assert_non_null(p);
	m.u.rows.rows = (struct str){p, n};
	assert_false(link_send(&x->b, &m, -1, &e));
	assert_int_equal(e.code, ERR_PROTOCOL);
	free(p);
}

static void refused_frames(void **state)
{
	assert_int_equal(stop(state), 0);
	static const struct {
		const char *head, *want; /* the version is put in */
		unsigned newer;
	} rows[] = {
		{"\xff\xff\xff\xff\0\0", "the worker sent what is no message (version %u, 4294967295 bytes)", 0},
		{"\1\0\0\4\0\0", "the worker sent what is no message (version %u, 67108865 bytes)", 0},
		{"\0\0\0\0\0\0", "the worker sent what is no message (version %u, 0 bytes)", 1},
		{"\0\0\0\0\xff\xff", "from the worker: message of unknown type 65535", 0},
		{"\0\0\0\0\0\0", "from the worker: message hello: cut in field version", 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct wire_message got;
		struct err e = {ERR_NONE, ""};
		char head[8] = "", number[16], want[128];
		unsigned version = WIRE_VERSION + rows[i].newer;
		const char *at = strstr(rows[i].want, "%u");
		assert_int_equal(start(state), 0);
		struct ends *x = *state;
		memcpy(head, rows[i].head, 6);
		head[6] = (char)version;
		send_raw(x, head, 8);
		assert_int_equal(link_receive(&x->a, &got, NULL, clock_ns() + 5000000000, &e), LINK_BROKEN);
		assert_int_equal(e.code, ERR_PROTOCOL);
		snprintf(number, sizeof(number), "%u", version);
		snprintf(want, sizeof(want), "%.*s%s%s", at ? (int)(at - rows[i].want) : 120, rows[i].want,
			 at ? number : "", at ? at + 2 : "");
		assert_string_equal(e.text, want);
		assert_int_equal(stop(state), 0);
	}
	assert_int_equal(start(state), 0);
}

static void gone_peer(void **state)
{
	struct ends *x = *state;
	struct wire_message m = text_message(""), got;
	struct err e = {ERR_NONE, ""};
	char head[8] = {16, 0, 0, 0, 0, 0, WIRE_VERSION, 0};
	send_raw(x, head, sizeof(head));
	send_raw(x, "abc", 3); /* cut inside the payload */
	close(x->b.fd);
	x->b.fd = x->b.out_fd = -1;
	assert_int_equal(link_receive(&x->a, &got, NULL, 0, &e), LINK_CLOSED);
	assert_int_equal(e.code, ERR_NONE);
	assert_false(link_send(&x->a, &m, -1, &e)); /* no SIGPIPE */
	assert_int_equal(e.code, ERR_PROTOCOL);
	assert_non_null(strstr(e.text, "message ready cannot be sent to the worker"));
}

static void deadline(void **state)
{
	struct ends *x = *state;
	struct wire_message got;
	struct err e = {ERR_NONE, ""};
	assert_int_equal(link_receive(&x->a, &got, NULL, clock_ns() + 2000000, &e), LINK_TIMEOUT);
	send_raw(x, "\0\0", 2); /* the rest never comes */
	assert_int_equal(link_receive(&x->a, &got, NULL, clock_ns() + 2000000, &e), LINK_TIMEOUT);
	assert_int_equal(e.code, ERR_NONE);
}

/* A file of messages: answers go nowhere, the end of the file ends the link. */
static void from_file(void **state)
{
	(void)state;
	struct wire_message m = text_message("job"), got;
	struct err e = {ERR_NONE, ""};
	struct buf frame;
	struct link l;
	buf_init(&frame);
	link_frame(&frame, &m);
	link_frame(&frame, &m);
	int fd = file_memfd("job", 0, &e);
	assert_int_equal(pwrite(fd, frame.p, frame.n, 0), frame.n);
	link_init_file(&l, fd, "job");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(link_receive(&l, &got, NULL, 0, &e), LINK_OK);
		assert_true(str_is(got.u.ready.facts, "job"));
		assert_true(link_send(&l, &m, -1, &e));
	}
	assert_int_equal(lseek(fd, 0, SEEK_END), frame.n); /* nothing was written into it */
	assert_int_equal(link_receive(&l, &got, NULL, 0, &e), LINK_CLOSED);
	link_release(&l);
	buf_release(&frame);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(there_and_back), TEST(with_descriptor),   TEST(many_descriptors), TEST(in_pieces), TEST(large),
		TEST(deadline),       TEST(too_large_to_send), TEST(refused_frames),   TEST(gone_peer), TEST(from_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
