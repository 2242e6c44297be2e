/* The preflight: what is there, and whether it is enough for what the caller needs.
 * In: the needs, what the user named. Out: a document, the first unmet need as one line.
 * Each need is judged from the same facts that the document shows.
 * Never: makes a context; changes, downloads or sets up anything. */
#include "collect/preflight.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/version.h"
#include "collect/machine.h"
#include "collect/toolset.h"

struct judging {
	struct arena *arena;
	const struct preflight_options *o;
	struct json *root, *needs, *lines;
	const char *first;
};

enum outcome { MET, NOT_MET, UNDECIDED };

static void judge(struct judging *g, const char *key, enum outcome outcome, const char *text)
{
	static const char *const names[] = {"met", "not_met", "decided_by_running"};
	struct json *j = json_object(g->arena);
	json_set_cstr(j, "need", key);
	json_set_cstr(j, "state", names[outcome]);
	json_set_cstr(j, "text", text);
	json_push(g->needs, j);
	if (outcome != NOT_MET)
		return;
	json_push_str(g->lines, str_from(text));
	if (!g->first)
		g->first = text;
}

static const char *text_of(struct judging *g, const struct json *j, const char *key)
{
	struct str s = json_str(j, key, STR(""));
	return arena_strndup(g->arena, s.p, s.n);
}

static void judge_files(struct judging *g)
{
	for (size_t i = 0; g->o->files && g->o->files[i]; i++) {
		const char *path = g->o->files[i];
		if (file_is_dir(path))
			judge(g, "file", NOT_MET, arena_printf(g->arena, "%s: this is a folder, not a file", path));
		else if (access(path, R_OK) != 0)
			judge(g, "file", NOT_MET,
			      arena_printf(g->arena, "%s: cannot be read: %s", path, strerror(errno)));
		else
			judge(g, "file", MET, arena_printf(g->arena, "%s can be read", path));
	}
}

static void judge_gpu(struct judging *g)
{
	const struct json *driver = json_get(g->root, "driver"), *gpus = json_get(g->root, "gpus");
	const struct json *gpu = g->o->i_gpu >= 0 ? json_at(gpus, (size_t)g->o->i_gpu) : NULL;
	struct arena *a = g->arena;
	if (!str_is(json_str(driver, "state", STR("")), "loaded"))
		judge(g, "gpu", NOT_MET,
		      arena_printf(a, "no GPU can be used: %s: install NVIDIA's driver, or use --backend c",
				   text_of(g, driver, "reason")));
	else if (!gpus->n)
		judge(g, "gpu", NOT_MET, "the driver sees no GPU: nvidia-smi -L lists those it sees");
	else if (!gpu && gpus->n == 1)
		judge(g, "gpu", NOT_MET,
		      arena_printf(a, "--gpu %lld: this machine has one GPU, number 0 (%s)", (long long)g->o->i_gpu,
				   text_of(g, json_at(gpus, 0), "name")));
	else if (!gpu)
		judge(g, "gpu", NOT_MET,
		      arena_printf(a, "--gpu %lld: this machine has %zu GPUs, 0 to %zu", (long long)g->o->i_gpu,
				   gpus->n, gpus->n - 1));
	else if (str_is(json_str(gpu, "compute_mode", STR("")), "prohibited"))
		judge(g, "gpu", NOT_MET,
		      arena_printf(a,
				   "--gpu %lld: its compute mode is 'prohibited': no program may use it; its "
				   "administrator sets another with nvidia-smi -c",
				   (long long)g->o->i_gpu));
	else
		judge(g, "gpu", MET, text_of(g, gpu, "name"));
}

struct tool_need {
	unsigned need;
	const char *key, *what, *option;
};
static const struct tool_need tool_needs[] = {
	{PREFLIGHT_NVCC, "nvcc", "install the CUDA toolkit", "--nvcc-bin"},
	{PREFLIGHT_CC, "cc", "install gcc or clang", "CC"},
	{PREFLIGHT_NCU, "ncu", "install Nsight Compute", "--ncu-bin"},
	{PREFLIGHT_PYTHON, "python3", "install Python 3", "--python"},
	{PREFLIGHT_TORCH, "torch", "install torch in this interpreter", "--python"},
};

/* False when the tool is not there. */
static bool judge_tool(struct judging *g, const struct tool_need *t)
{
	const struct json *tool = json_get(json_get(g->root, "tools"), t->key);
	struct str state = json_str(tool, "state", STR(""));
	if (str_is(state, "found")) {
		judge(g, t->key, MET,
		      arena_printf(g->arena, "%s %s", text_of(g, tool, "path"), text_of(g, tool, "version")));
		return true;
	}
	if (str_is(state, "broken"))
		judge(g, t->key, NOT_MET,
		      arena_printf(g->arena, "%s does not answer: %s; %s names another one", t->key,
				   text_of(g, tool, "reason"), t->option));
	else
		judge(g, t->key, NOT_MET,
		      arena_printf(g->arena, "%s was not found (%s): %s, or name one with %s", t->key,
				   text_of(g, tool, "reason"), t->what, t->option));
	return false;
}

static void judge_torch(struct judging *g)
{
	const struct json *torch = json_get(json_get(g->root, "tools"), "torch");
	if (!judge_tool(g, &tool_needs[COUNT_OF(tool_needs) - 1]) || !(g->o->needs & PREFLIGHT_GPU))
		return;
	if (!g->o->ask_torch)
		judge(g, "torch_cuda", UNDECIDED, "torch was not imported");
	else if (!json_bool(torch, "cuda_available", false) || json_i64(torch, "n_devices", 0) < 1)
		judge(g, "torch_cuda", NOT_MET,
		      arena_printf(g->arena,
				   "torch %s does not see the GPU (torch.cuda.is_available() is false; it is built for "
				   "%s%s): install a torch that fits the driver",
				   text_of(g, torch, "version"),
				   json_str(torch, "cuda", STR("")).n ? "CUDA " : "no CUDA",
				   text_of(g, torch, "cuda")));
	else
		judge(g, "torch_cuda", MET, arena_printf(g->arena, "torch sees %s", text_of(g, torch, "device")));
}

static void judge_counters(struct judging *g)
{
	const struct json *c = json_get(g->root, "counters"), *allowed = json_get(c, "allowed");
	bool is_known = allowed && allowed->type == JSON_BOOL;
	if (is_known && !allowed->boolean)
		judge(g, "counters", NOT_MET,
		      arena_printf(g->arena, "%s. %s", text_of(g, c, "found"), text_of(g, c, "advice")));
	else
		judge(g, "counters", is_known ? MET : UNDECIDED, text_of(g, c, "found"));
}

static void judge_all(struct judging *g)
{
	judge_files(g);
	if (g->o->needs & PREFLIGHT_GPU)
		judge_gpu(g);
	for (size_t i = 0; i + 1 < COUNT_OF(tool_needs); i++) {
		if (g->o->needs & tool_needs[i].need)
			judge_tool(g, &tool_needs[i]);
	}
	if (g->o->needs & PREFLIGHT_TORCH)
		judge_torch(g);
	if (g->o->needs & PREFLIGHT_COUNTERS)
		judge_counters(g);
}

/* The one GPU that torch may see: as a candidate's process gets it. */
static const char *torch_gpu(const struct gpu_devices *all, const struct preflight_options *o)
{
	if (!(o->needs & PREFLIGHT_GPU) || o->i_gpu < 0 || (size_t)o->i_gpu >= all->n)
		return NULL;
	const struct gpu_device *d = &all->v[o->i_gpu];
	return d->mig_enabled && d->n_mig ? d->mig_uuid[0] : d->uuid;
}

bool preflight_run(struct preflight *out, struct arena *a, const struct preflight_options *o, struct err *e)
{
	struct gpu_devices all;
	struct judging g = {.arena = a, .o = o, .root = json_object(a)};
	char now[25];
	clock_utc_iso(now);
	*out = (struct preflight){.json = g.root};
	json_set_cstr(g.root, "format", "assay/preflight-v1");
	json_set(g.root, "tool", version_json(a));
	json_set_cstr(g.root, "time", now);
	json_set(g.root, "machine", machine_host(a));
	struct json *gpus = json_array(a);
	json_set(g.root, "driver", machine_driver(a, &all, gpus));
	json_set(g.root, "gpus", gpus);
	json_set(g.root, "counters", machine_counters(a, ""));
	struct toolset_options t = {.nvcc = o->nvcc,
				    .ncu = o->ncu,
				    .python = o->python,
				    .gpu = torch_gpu(&all, o),
				    .import_torch = o->ask_torch};
	struct json *tools;
	if (!toolset_read(&tools, a, &t, e))
		return false;
	json_set(g.root, "tools", tools);
	g.needs = json_set_array(g.root, "needs");
	g.lines = json_set_array(g.root, "missing");
	judge_all(&g);
	out->missing = g.first;
	json_set_bool(g.root, "ready", !g.first);
	return true;
}

bool preflight_write(const struct preflight *p, const char *folder, struct err *e)
{
	struct arena *a = p->json->arena;
	struct buf text;
	buf_init(&text);
	json_write(&text, p->json, JSON_PRETTY);
	bool ok = file_write_str(path_join(a, folder, "preflight_check.json"), buf_view(&text), e);
	buf_clear(&text);
	preflight_markdown(&text, p->json);
	ok = ok && file_write_str(path_join(a, folder, "preflight_check.md"), buf_view(&text), e);
	buf_release(&text);
	return ok;
}
