/* The sandbox's report and what the kernel says to it.
 * In: a running worker's /proc/PID/status, the report. Out: corrected layers, JSON.
 * The worker's word counts for nothing here.
 * Never: sets a layer active that the kernel does not show. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/sandbox_inside.h"

/* ---- paths ---- */

#define R SANDBOX_READ
#define RX (SANDBOX_READ | SANDBOX_EXEC)
#define RW (SANDBOX_READ | SANDBOX_WRITE)

/* What a process of any kind reads. Of /etc only what libc, the linker, Python and the driver look for. */
#define COMMON_PATHS                                                                                                   \
	{"/proc", R}, {"/sys", R}, {"/dev/null", RW}, {"/dev/zero", RW}, {"/dev/full", RW}, {"/dev/urandom", R},       \
		{"/dev/random", R}, {"/dev/nvidiactl", RW}, {"/dev/nvidia-uvm", RW}, {"/dev/nvidia-uvm-tools", RW},    \
		{"/dev/nvidia-modeset", RW}, {"/dev/nvidia-caps", R}, {"/dev/nvidia0", RW}, {"/dev/nvidia1", RW},      \
		{"/dev/nvidia2", RW}, {"/dev/nvidia3", RW}, {"/dev/nvidia4", RW}, {"/dev/nvidia5", RW},                \
		{"/dev/nvidia6", RW}, {"/dev/nvidia7", RW}, {"/dev/nvidia8", RW}, {"/dev/nvidia9", RW},                \
		{"/dev/nvidia10", RW}, {"/dev/nvidia11", RW}, {"/dev/nvidia12", RW}, {"/dev/nvidia13", RW},            \
		{"/dev/nvidia14", RW}, {"/dev/nvidia15", RW}, {"/etc/ld.so.cache", R}, {"/etc/ld.so.conf", R},         \
		{"/etc/ld.so.conf.d", R}, {"/etc/ld.so.preload", R}, {"/etc/localtime", R}, {"/etc/nsswitch.conf", R}, \
		{"/etc/passwd", R}, {"/etc/group", R}, {"/etc/alternatives", R}, {"/etc/nvidia", R},                   \
		{"/etc/nvidia-container-runtime", R}, {"/etc/os-release", R}, {"/etc/lsb-release", R},                 \
		{"/etc/debian_version", R}, {"/etc/locale.alias", R}, {"/etc/mime.types", R},                          \
	{                                                                                                              \
		"/etc/ssl/openssl.cnf", R                                                                              \
	}

#define ETC_PYTHON                                                                                                     \
	{"/etc/python3.8", R}, {"/etc/python3.9", R}, {"/etc/python3.10", R}, {"/etc/python3.11", R},                  \
		{"/etc/python3.12", R}, {"/etc/python3.13", R}, {"/etc/python3.14", R},                                \
	{                                                                                                              \
		"/etc/python3.15", R                                                                                   \
	}

static const struct sandbox_path native_paths[] = {
	COMMON_PATHS,
	{"/usr", R},
	{"/lib", R},
	{"/lib64", R},
	{"/lib64/ld-linux-x86-64.so.2", RX}, /* the kernel executes it for our own program */
	{"/lib/ld-linux-aarch64.so.1", RX},
};
static const struct sandbox_path python_paths[] = {
	COMMON_PATHS, ETC_PYTHON, {"/usr", RX}, {"/lib", RX}, {"/lib64", RX}, {"/bin", RX}, {"/sbin", RX},
};
static const struct sandbox_path tool_paths[] = {
	COMMON_PATHS, ETC_PYTHON,    {"/usr", RX}, {"/lib", RX},     {"/lib64", RX},
	{"/bin", RX}, {"/sbin", RX}, {"/opt", RX}, {"/dev/shm", RW},
};

const struct sandbox_path *sandbox_system_paths(enum sandbox_kind kind, size_t *n)
{
	switch (kind) {
	case SANDBOX_NATIVE:
		*n = COUNT_OF(native_paths);
		return native_paths;
	case SANDBOX_PYTHON:
		*n = COUNT_OF(python_paths);
		return python_paths;
	case SANDBOX_TOOL:
		break;
	}
	*n = COUNT_OF(tool_paths);
	return tool_paths;
}

/* ---- the kernel's view ---- */

static int64_t number_after(const char *text, const char *name, int base)
{
	const char *at = strstr(text, name);
	return at ? (int64_t)strtoull(at + strlen(name), NULL, base) : -1;
}

bool sandbox_look(int pid, struct sandbox_seen *out)
{
	char path[64], text[8192];
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	if (strstr(text, "\nState:\tZ"))
		return false;
	out->no_new_privs = number_after(text, "\nNoNewPrivs:", 10);
	out->n_filters = number_after(text, "\nSeccomp_filters:", 10); /* from Linux 5.9 */
	out->capabilities = 0;
	static const char *const sets[] = {"\nCapEff:", "\nCapPrm:"};
	for (size_t i = 0; i < COUNT_OF(sets); i++)
		out->capabilities |= (uint64_t)number_after(text, sets[i], 16);
	return true;
}

bool sandbox_observe(struct sandbox *s, int pid)
{
	struct sandbox_seen seen;
	if (!sandbox_look(pid, &seen))
		return false;
	struct sandbox_layer *layer = s->report->layer;
	if (layer[SANDBOX_LAYER_NO_NEW_PRIVS].state == SANDBOX_ACTIVE && seen.no_new_privs != 1)
		sandbox_contradict(s, SANDBOX_LAYER_NO_NEW_PRIVS, SANDBOX_UNAVAILABLE, "the kernel shows it unset");
	if (layer[SANDBOX_LAYER_CAPABILITIES].state == SANDBOX_ACTIVE && seen.capabilities != 0)
		sandbox_contradict(s, SANDBOX_LAYER_CAPABILITIES, SANDBOX_UNAVAILABLE, "the kernel shows some left");
	bool counted = seen.n_filters >= 0 && s->n_filters >= 0;
	bool has_start = layer[SANDBOX_LAYER_SYSCALLS].state == SANDBOX_ACTIVE;
	if (has_start && counted && seen.n_filters < s->n_filters + 1)
		sandbox_contradict(s, SANDBOX_LAYER_SYSCALLS, SANDBOX_UNAVAILABLE, "the kernel shows no filter");
	int64_t with_seal = s->n_filters + 1 + has_start;
	if (layer[SANDBOX_LAYER_SEAL].state == SANDBOX_PENDING && counted && seen.n_filters >= with_seal)
		sandbox_contradict(s, SANDBOX_LAYER_SEAL, SANDBOX_ACTIVE, "");
	return true;
}

/* ---- writing ---- */

static const char *state_word(enum sandbox_state state)
{
	switch (state) {
	case SANDBOX_PENDING:
		return "pending";
	case SANDBOX_ACTIVE:
		return "active";
	case SANDBOX_UNAVAILABLE:
		return "unavailable";
	case SANDBOX_NOT_WANTED:
		break;
	}
	return "not_wanted";
}

static const char *const layer_stops[] = {
#define SANDBOX_X(id, name, what) what,
	SANDBOX_LAYERS(SANDBOX_X)
#undef SANDBOX_X
};

struct json *sandbox_report_json(struct arena *a, const struct sandbox_report *r)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < SANDBOX_LAYER_COUNT; i++) {
		struct json *j = json_object(a);
		json_set_cstr(j, "layer", sandbox_layer_name((enum sandbox_layer_id)i));
		json_set_cstr(j, "state", state_word(r->layer[i].state));
		json_set_cstr(j, "covers", layer_stops[i]);
		if (r->layer[i].reason[0])
			json_set_cstr(j, "detail", r->layer[i].reason);
		json_push(list, j);
	}
	return list;
}
