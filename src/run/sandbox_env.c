/* The environment of a worker.
 * In: ours, a private folder. Out: a short list, everything writable below the folder.
 * A list of what is taken over: variables that load code, name tokens or point at our caches stay behind.
 * Never: passes ASSAY_*, LD_PRELOAD, PYTHON* or CUDA_INJECTION*. */
#include "run/sandbox_env.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define MAX_EXTRA 256

/* CUDA_MPS_PIPE_DIRECTORY: without it a client of an MPS daemon would start a context of its own. */
static const char *const taken_over[] = {
	"PATH",
	"LANG",
	"LC_ALL",
	"LC_CTYPE",
	"TZ",
	"USER",
	"LOGNAME",
	"LD_LIBRARY_PATH",
	"CUDA_HOME",
	"CUDA_PATH",
	"CUDA_ROOT",
	"VIRTUAL_ENV",
	"CONDA_PREFIX",
	"CUDA_MODULE_LOADING",
	"CUDA_DEVICE_MAX_CONNECTIONS",
	"CUDA_DEVICE_ORDER",
	"CUDA_MPS_PIPE_DIRECTORY",
};
static const struct {
	const char *name, *folder;
} private_folders[] = {
	{"HOME", "home"},
	{"TMPDIR", "tmp"},
	{"XDG_CACHE_HOME", "cache"},
	{"XDG_CONFIG_HOME", "config"},
	{"XDG_DATA_HOME", "data"},
	{"TRITON_CACHE_DIR", "triton"},
	{"TORCHINDUCTOR_CACHE_DIR", "inductor"},
	{"TORCH_EXTENSIONS_DIR", "extensions"},
	{"CUDA_CACHE_PATH", "cuda"},
};

struct env {
	struct arena *arena;
	const char **lines;
	size_t n, cap;
};

static size_t name_bytes(const char *line)
{
	const char *at = strchr(line, '=');
	return at ? (size_t)(at - line) + 1 : 0;
}

/* Adds a line; one of the same name is replaced. */
static void env_set(struct env *v, const char *line)
{
	size_t n_name = name_bytes(line);
	for (size_t i = 0; i < v->n; i++) {
		if (strncmp(v->lines[i], line, n_name) == 0) {
			v->lines[i] = line;
			return;
		}
	}
	if (v->n + 1 >= v->cap)
		BUG("environment too small");
	v->lines[v->n++] = line;
}

const char *const *sandbox_env(struct arena *a, const struct sandbox_env_options *o, struct err *e)
{
	size_t n_extra = 0;
	while (o->extra && o->extra[n_extra])
		n_extra++;
	if (n_extra > MAX_EXTRA) {
		err_set(e, ERR_INPUT, "environment: %zu lines; at most %d are taken", n_extra, MAX_EXTRA);
		return NULL;
	}
	struct env v = {.arena = a, .cap = COUNT_OF(taken_over) + COUNT_OF(private_folders) + n_extra + 4};
	v.lines = ARENA_ARRAY(a, v.cap, const char *);
	for (size_t i = 0; i < COUNT_OF(taken_over); i++) {
		const char *value = getenv(taken_over[i]);
		if (value)
			env_set(&v, arena_printf(a, "%s=%s", taken_over[i], value));
	}
	for (size_t i = 0; i < COUNT_OF(private_folders); i++) {
		char *path = path_join(a, o->folder, private_folders[i].folder);
		if (!file_mkdirs(path, 0700, e))
			return NULL;
		env_set(&v, arena_printf(a, "%s=%s", private_folders[i].name, path));
	}
	if (o->gpu)
		env_set(&v, arena_printf(a, "CUDA_VISIBLE_DEVICES=%s", o->gpu));
	for (size_t i = 0; i < n_extra; i++) {
		if (name_bytes(o->extra[i]) < 2) {
			err_set(e, ERR_INPUT, "environment: \"%.60s\" is not NAME=value", o->extra[i]);
			return NULL;
		}
		env_set(&v, arena_strdup(a, o->extra[i]));
	}
	v.lines[v.n] = NULL;
	return v.lines;
}
