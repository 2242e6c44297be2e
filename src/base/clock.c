/* Clocks and time stamps.
 * In: nothing. Out: nanoseconds and UTC texts.
 * Durations use the monotonic clock, stamps the real one.
 * Never: used for kernel time (probe/ has its own reading). */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_unix_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

void clock_sleep_ns(int64_t ns)
{
	struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		continue;
}

void clock_utc_compact(char out[17])
{
	time_t now = (time_t)(clock_unix_ns() / 1000000000);
	struct tm tm;
	gmtime_r(&now, &tm);
	strftime(out, 17, "%Y%m%dT%H%M%SZ", &tm);
}

void clock_utc_iso(char out[25])
{
	int64_t ns = clock_unix_ns();
	time_t now = (time_t)(ns / 1000000000);
	struct tm tm;
	gmtime_r(&now, &tm);
	size_t n = strftime(out, 25, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, 25 - n, ".%03dZ", (int)(ns / 1000000 % 1000));
}
