/* The fake libraries' script.
 * In: fake.conf in a folder of LD_LIBRARY_PATH. Out: numbers, and which calls are to fail.
 * Each of the three libraries has its own copy of this.
 * Never: goes on with a line that it does not understand. */
#include "conf.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fake_conf conf = {
#define FAKE_X(key, value) .key = (value),
	FAKE_CONF(FAKE_X)
#undef FAKE_X
};
static unsigned n_calls[FAKE_MAX_FAILS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void stop(const char *line)
{
	fprintf(stderr, "fake.conf: cannot be understood: %s\n", line);
	abort();
}

static bool is_process(const char *who)
{
	char text[4096];
	if (strcmp(who, "any") == 0)
		return true;
	FILE *f = fopen("/proc/self/cmdline", "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	for (const char *word = text; word < text + n; word += strlen(word) + 1) {
		if (strcmp(word, who) == 0)
			return true;
	}
	return false;
}

static void take_fail(const char *line)
{
	struct fake_fail f;
	char end;
	if (sscanf(line, "fail %63s %u %d %15s %c", f.symbol, &f.nth, &f.code, f.who, &end) != 4 ||
	    conf.n_fails == FAKE_MAX_FAILS)
		stop(line);
	if (is_process(f.who))
		conf.fails[conf.n_fails++] = f;
}

static bool take_number(const char *line, const char *key, unsigned long long *out)
{
	size_t n = strlen(key);
	char *end;
	if (strncmp(line, key, n) != 0 || line[n] != ' ')
		return false;
	unsigned long long v = strtoull(line + n + 1, &end, 10);
	if (end == line + n + 1 || *end)
		stop(line);
	*out = v;
	return true;
}

static void take_line(char *line)
{
	line[strcspn(line, "\n")] = 0;
	if (!*line || *line == '#')
		return;
	if (strncmp(line, "fail ", 5) == 0) {
		take_fail(line);
		return;
	}
#define FAKE_X(key, value)                                                                                             \
	if (take_number(line, #key, &conf.key))                                                                        \
		return;
	FAKE_CONF(FAKE_X)
#undef FAKE_X
	stop(line);
}

static void read_file(FILE *f)
{
	char line[256];
	while (fgets(line, sizeof(line), f))
		take_line(line);
	fclose(f);
}

static void read_conf(void)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	while (path && *path) {
		char name[4096];
		size_t n = strcspn(path, ":");
		if (n && n < sizeof(name) - 16) {
			memcpy(name, path, n);
			memcpy(name + n, "/fake.conf", sizeof("/fake.conf"));
			FILE *f = fopen(name, "r");
			if (f) {
				read_file(f);
				return;
			}
		}
		path += n + (path[n] == ':');
	}
}

const struct fake_conf *fake_conf(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_conf);
	return &conf;
}

int fake_conf_fail(const char *symbol)
{
	const struct fake_conf *c = fake_conf();
	int code = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < c->n_fails; i++) {
		const struct fake_fail *f = &c->fails[i];
		if (strcmp(f->symbol, symbol) != 0)
			continue;
		n_calls[i]++;
		if (!code && (f->nth == 0 || f->nth == n_calls[i]))
			code = f->code;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

void fake_uuid(unsigned char out[16], unsigned i_gpu, unsigned i_mig)
{
	static const unsigned char base[16] = {0xfa, 0x4e};
	memcpy(out, base, sizeof(base));
	out[14] = (unsigned char)i_mig;
	out[15] = (unsigned char)i_gpu;
}

void fake_uuid_text(char out[48], unsigned i_gpu, unsigned i_mig)
{
	unsigned char u[16];
	fake_uuid(u, i_gpu, i_mig);
	snprintf(out, 48, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 i_mig == FAKE_WHOLE ? "GPU" : "MIG", u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10],
		 u[11], u[12], u[13], u[14], u[15]);
}
