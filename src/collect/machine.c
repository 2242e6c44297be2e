/* Facts about the machine and its GPUs.
 * In: /proc, NVML. Out: JSON objects.
 * What was not read is null, never 0.
 * Never: makes a context; changes a setting. */
#include "collect/machine.h"

#include "base/file.h"
#include "base/os.h"

enum { CAP_SYS_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38, MOST_BYTES = 1 << 20 }; /* linux/capability.h */

static void set_size(struct json *j, const char *key, uint64_t v)
{
	if (v)
		json_set_u64(j, key, v);
	else
		json_set_null(j, key);
}

struct json *machine_host(struct arena *a)
{
	struct os h;
	struct json *j = json_object(a);
	os_read(&h, a);
	json_set_cstr(j, "os", h.os);
	json_set_cstr(j, "kernel", h.kernel);
	json_set_cstr(j, "architecture", h.arch);
	json_set_cstr(j, "cpu", h.cpu);
	json_set_u64(j, "n_cpus_usable", h.n_usable);
	json_set_u64(j, "n_cpus_online", h.n_online);
	set_size(j, "memory_bytes", h.memory_bytes);
	set_size(j, "memory_available_bytes", h.available_bytes);
	set_size(j, "memory_limit_bytes", h.memory_limit_bytes);
	json_set_cstr(j, "container", h.container);
	json_set(j, "perf_event_paranoid", h.has_perf_paranoid ? json_new_i64(a, h.perf_paranoid) : json_new_null(a));
	return j;
}

static const char *word_of(const char *const *words, size_t n, int i)
{
	return i >= 0 && (size_t)i < n ? words[i] : "unknown";
}

struct json *machine_gpu(struct arena *a, const struct gpu_device *d)
{
	/* nvmlComputeMode_t, nvmlGpuVirtualizationMode_t */
	static const char *const modes[] = {"default", "exclusive_thread", "prohibited", "exclusive_process"};
	static const char *const virtuals[] = {"none", "passthrough", "vgpu", "host_vgpu", "host_vsga"};
	struct json *j = json_object(a), *mig;
	bool has_capability = (d->has & GPU_HAS_CAPABILITY) != 0;
	json_set_u64(j, "index", d->index);
	json_set_cstr(j, "name", d->name);
	json_set_cstr(j, "uuid", d->uuid);
	json_set_cstr(j, "pci", d->has & GPU_HAS_PCI ? d->pci : NULL);
	json_set_cstr(j, "compute_capability",
		      has_capability ? arena_printf(a, "%d.%d", d->cc_major, d->cc_minor) : NULL);
	json_set_u64(j, "memory_bytes", d->memory_total_bytes);
	json_set_u64(j, "memory_used_bytes", d->memory_used_bytes);
	json_set_cstr(j, "compute_mode",
		      d->has & GPU_HAS_COMPUTE_MODE ? word_of(modes, COUNT_OF(modes), d->compute_mode) : NULL);
	json_set_cstr(j, "virtualization",
		      d->has & GPU_HAS_VIRTUALIZATION ? word_of(virtuals, COUNT_OF(virtuals), d->virtualization)
						      : NULL);
	json_set(j, "persistence",
		 d->has & GPU_HAS_PERSISTENCE ? json_new_bool(a, d->persistence != 0) : json_new_null(a));
	json_set(j, "ecc", d->has & GPU_HAS_ECC ? json_new_bool(a, d->ecc != 0) : json_new_null(a));
	json_set(j, "mig", d->has & GPU_HAS_MIG ? json_new_bool(a, d->mig_enabled != 0) : json_new_null(a));
	mig = json_set_array(j, "mig_instances");
	for (size_t i = 0; i < d->n_mig; i++)
		json_push_str(mig, str_from(d->mig_uuid[i]));
	return j;
}

struct json *machine_driver(struct arena *a, struct gpu_devices *out, struct json *gpus)
{
	struct nvml nvml = {0};
	struct err why;
	struct json *j = json_object(a);
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");
	*out = (struct gpu_devices){0};
	bool ok = nvml_open(&nvml, &why) && gpu_devices(a, out, &nvml, &why);
	json_set_cstr(j, "library", nvml.lib ? arena_strdup(a, nvml.path) : NULL);
	json_set_cstr(j, "visible_devices", visible);
	nvml_release(&nvml);
	if (!ok)
		*out = (struct gpu_devices){0};
	json_set_cstr(j, "state", ok ? "loaded" : "absent");
	json_set_cstr(j, "reason", ok ? NULL : why.text);
	json_set_cstr(j, "version", out->driver);
	json_set_cstr(j, "cuda",
		      out->cuda_version
			      ? arena_printf(a, "%d.%d", out->cuda_version / 1000, out->cuda_version % 1000 / 10)
			      : NULL);
	json_set_cstr(j, "mps_pipe", ok ? out->mps_pipe : gpu_mps_pipe(a));
	for (size_t i = 0; i < out->n; i++)
		json_push(gpus, machine_gpu(a, &out->v[i]));
	return j;
}

static struct str read_below(struct arena *a, const char *root, const char *path)
{
	struct str text;
	struct err ignored;
	return file_read(a, &text, arena_printf(a, "%s/%s", root, path), MOST_BYTES, &ignored) ? text : STR("");
}

static struct str value_of(struct str text, const char *key)
{
	struct str line;
	while (str_split(&text, '\n', &line)) {
		if (str_starts(line, key))
			return str_trim(str_sub(line, strlen(key), line.n));
	}
	return STR("");
}

/* The driver calls capable(), which looks at the first user namespace only: root of a container with its own does not
 * count. There the map is the identity. */
static bool is_first_namespace(struct str map)
{
	static const char *const want[] = {"0", "0", "4294967295"};
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		map = str_trim(map);
		size_t n = 0;
		while (n < map.n && map.p[n] > ' ')
			n++;
		if (!str_is(str_sub(map, 0, n), want[i]))
			return false;
		map = str_sub(map, n, map.n);
	}
	return true;
}

static bool has_capability(struct arena *a, const char *root)
{
	struct str hex = value_of(read_below(a, root, "proc/self/status"), "CapEff:");
	uint64_t caps = 0;
	if (!hex.n || !str_u64(str_from(arena_printf(a, "0x%.*s", STR_ARG(hex))), &caps))
		return false;
	bool is_set = caps >> CAP_SYS_ADMIN_BIT & 1 || caps >> CAP_PERFMON_BIT & 1;
	return is_set && is_first_namespace(read_below(a, root, "proc/self/uid_map"));
}

struct json *machine_counters(struct arena *a, const char *root)
{
	struct str only = value_of(read_below(a, root, "proc/driver/nvidia/params"), "RmProfilingAdminOnly:");
	struct json *j = json_object(a);
	bool is_able = has_capability(a, root);
	json_set_null(j, "advice");
	if (str_is(only, "0")) {
		json_set_bool(j, "allowed", true);
		json_set_cstr(j, "found", "the driver lets every user read counters (RmProfilingAdminOnly: 0)");
	} else if (is_able) {
		json_set_bool(j, "allowed", true);
		json_set_cstr(j, "found", "this process has CAP_SYS_ADMIN or CAP_PERFMON, which lets it read counters");
	} else if (only.n) {
		json_set_bool(j, "allowed", false);
		json_set_cstr(j, "found",
			      "the driver lets only administrators read counters (RmProfilingAdminOnly: 1), and this "
			      "process is none: ncu will say ERR_NVGPUCTRPERM");
		json_set_cstr(j, "advice",
			      "A change of the host, for its administrator to decide: either the line 'options nvidia "
			      "NVreg_RestrictProfilingToAdminUsers=0' in a file of /etc/modprobe.d/ and the nvidia "
			      "module loaded again, which lets every user; or CAP_SYS_ADMIN for this process or "
			      "container (docker run --cap-add=SYS_ADMIN). Nothing is changed here.");
	} else {
		json_set_null(j, "allowed");
		json_set_cstr(j, "found",
			      "/proc/driver/nvidia/params does not say who may read counters; running ncu decides");
	}
	return j;
}
