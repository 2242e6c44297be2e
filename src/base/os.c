/* The machine that assay runs on.
 * In: /etc/os-release, uname, /proc, the cgroup's limit.
 * Out: struct os.
 * Never: fails; what cannot be read is left unknown. */
#include "base/os.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"

enum { MOST_BYTES = 16 << 20 };

/* The text behind the first of n keys that begins a line; "" when there is none. Blanks, `:`, `=` and quotes go. */
static struct str field(struct arena *a, const char *path, const char *const *keys, size_t n)
{
	struct str text, line;
	struct err ignored;
	if (!file_read(a, &text, path, MOST_BYTES, &ignored))
		return STR("");
	while (str_split(&text, '\n', &line)) {
		for (size_t i = 0; i < n; i++) {
			struct str rest = str_trim(str_sub(line, strlen(keys[i]), line.n));
			if (!str_starts(line, keys[i]) || !rest.n || (rest.p[0] != ':' && rest.p[0] != '='))
				continue;
			rest = str_trim(str_sub(rest, 1, rest.n));
			if (rest.n >= 2 && rest.p[0] == '"' && rest.p[rest.n - 1] == '"')
				rest = str_sub(rest, 1, rest.n - 2);
			return rest;
		}
	}
	return STR("");
}

const char *os_cpu(struct arena *a)
{
	static const char *const keys[] = {"model name", "CPU part"};
	struct str name = field(a, "/proc/cpuinfo", keys, COUNT_OF(keys));
	return name.n ? arena_strndup(a, name.p, name.n) : "CPU";
}

/* "16316412 kB" */
static uint64_t meminfo(struct arena *a, const char *key)
{
	struct str v = field(a, "/proc/meminfo", &key, 1);
	uint64_t kb = 0;
	return str_ends(v, " kB") && str_u64(str_sub(v, 0, v.n - 3), &kb) && kb < UINT64_MAX / 1024 ? kb * 1024 : 0;
}

static struct str whole(struct arena *a, const char *path)
{
	struct str text;
	struct err ignored;
	return file_read(a, &text, path, MOST_BYTES, &ignored) ? str_trim(text) : STR("");
}

/* Inside a container the root of the cgroup tree is its own. Version 1 says "no limit" with a number near 2^63. */
static uint64_t limit_bytes(struct arena *a)
{
	static const char *const paths[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		uint64_t v;
		if (str_u64(whole(a, paths[i]), &v))
			return v < UINT64_C(1) << 60 ? v : 0;
	}
	return 0;
}

static const char *container(void)
{
	if (getenv("KUBERNETES_SERVICE_HOST"))
		return "kubernetes";
	if (file_exists("/run/.containerenv"))
		return "podman";
	return file_exists("/.dockerenv") ? "docker" : NULL;
}

void os_read(struct os *out, struct arena *a)
{
	static const char *const os[] = {"PRETTY_NAME"};
	struct utsname u;
	struct str name = field(a, "/etc/os-release", os, 1);
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	*out = (struct os){.os = name.n ? arena_strndup(a, name.p, name.n) : "unknown",
			   .kernel = "unknown",
			   .arch = "unknown",
			   .cpu = os_cpu(a),
			   .container = container(),
			   .n_usable = pool_n_cpus(),
			   .n_online = n > 0 ? (size_t)n : pool_n_cpus(),
			   .memory_bytes = meminfo(a, "MemTotal"),
			   .available_bytes = meminfo(a, "MemAvailable"),
			   .memory_limit_bytes = limit_bytes(a)};
	if (uname(&u) == 0) {
		out->kernel = arena_printf(a, "%s %s", u.sysname, u.release);
		out->arch = arena_strdup(a, u.machine);
	}
	out->has_perf_paranoid = str_i64(whole(a, "/proc/sys/kernel/perf_event_paranoid"), &out->perf_paranoid);
}
