/* The wall clock jumps: for LD_PRELOAD. While the file $STEP_FILE is there, it is $STEP_SECONDS ahead (or behind).
 * The monotonic clock goes on, as it does when somebody sets the time of the machine. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, clock, t);
	const char *file = getenv("STEP_FILE"), *seconds = getenv("STEP_SECONDS");
	if (rc == 0 && clock == CLOCK_REALTIME && file && seconds && access(file, F_OK) == 0)
		t->tv_sec += strtol(seconds, NULL, 10);
	return rc;
}
