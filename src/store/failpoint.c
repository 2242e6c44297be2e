/* Failpoints for tests.
 * In: the name of a step and ASSAY_FAILPOINT. Out: 0, an errno value, or no return.
 * The value is read anew at every step, so a test may set it between two.
 * Never: does anything when the variable is absent. */
#include "store/failpoint.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int failpoint(const char *name)
{
	const char *want = getenv("ASSAY_FAILPOINT");
	if (!want)
		return 0;
	size_t n = strlen(name);
	if (strncmp(want, name, n) != 0 || (want[n] != 0 && want[n] != ':'))
		return 0;
	long left = 1;
	int error = 0;
	if (want[n] == ':') {
		char *end;
		left = strtol(want + n + 1, &end, 10);
		if (*end == ':')
			error = (int)strtol(end + 1, NULL, 10);
	}
	static long n_seen; /* of the one name that the variable holds */
	if (++n_seen != left)
		return 0;
	n_seen = 0;
	if (!error)
		kill(getpid(), SIGKILL);
	errno = error;
	return error;
}
