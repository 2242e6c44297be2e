/* The seal.
 * In: a memfd with a BPF program that the parent made. Out: the program installed on every thread.
 * The parent sees from outside whether it is there.
 * Never: builds a filter of its own. */
#include "probe/seal.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_FILTER 4096 /* BPF_MAXINSNS */

bool seal_install(int fd, struct err *e)
{
	struct sock_filter code[MAX_FILTER];
	ssize_t n = pread(fd, code, sizeof(code), 0);
	int code_errno = errno;
	close(fd);
	if (n < 0)
		return err_errno(e, ERR_SYSTEM, code_errno, "seal: its filter cannot be read");
	if (n == 0 || (size_t)n % sizeof(code[0]) != 0)
		return err_set(e, ERR_SYSTEM, "seal: %zd bytes are no filter", n);
	struct sock_fprog prog = {(unsigned short)((size_t)n / sizeof(code[0])), code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return err_errno(e, ERR_SYSTEM, errno, "seal: no_new_privs");
	/* TSYNC: threads of the driver too. SPEC_ALLOW: no slow-down by a mitigation that nobody here needs. */
	unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
	if (rc == 0)
		return true;
	if (rc > 0) /* the number of a thread that has filters of its own */
		return err_set(e, ERR_SYSTEM, "seal: thread %ld has a filter of its own", rc);
	return err_errno(e, ERR_SYSTEM, errno, "seal: seccomp");
}
