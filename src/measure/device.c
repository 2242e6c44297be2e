/* Which device a backend runs on.
 * In: backend and number. Out: UUID, architecture, lease key, facts for records.
 * NVML tells without a context; the CPU is described from /proc/cpuinfo.
 * Never: changes a setting of the device. */
#include "measure/device.h"

#include "base/os.h"
#include "base/pool.h"
#include "gpu/nvml.h"
#include "stats/ceiling.h"

static bool choose_cpu(struct lab_device *out, struct json *facts, struct arena *a)
{
	*out = (struct lab_device){.backend = "c", .name = os_cpu(a), .lease = "cpu"};
	json_set_cstr(facts, "kind", "cpu");
	json_set_cstr(facts, "name", out->name);
	json_set_u64(facts, "n_cpus", pool_n_cpus());
	return true;
}

/* A GPU or one of its MIG instances, as a name in CUDA_VISIBLE_DEVICES means it. */
struct choice {
	const struct gpu_device *gpu;
	const char *uuid; /* NULL: MIG is on and has no instance */
};

static bool choice_at(struct choice *out, const struct gpu_devices *all, int64_t i)
{
	if (i < 0 || (size_t)i >= all->n)
		return false;
	const struct gpu_device *d = &all->v[i];
	/* a process sees one instance: that one is measured and leased */
	*out = (struct choice){d, !d->mig_enabled ? d->uuid : d->n_mig ? d->mig_uuid[0] : NULL};
	return true;
}

static bool choice_of(struct choice *out, const struct gpu_devices *all, struct str name)
{
	int64_t number;
	if (str_i64(name, &number))
		return choice_at(out, all, number);
	for (size_t i = 0; i < all->n && name.n; i++) {
		const struct gpu_device *d = &all->v[i];
		*out = (struct choice){d, d->uuid};
		if (str_eq(str_sub(str_from(d->uuid), 0, name.n), name))
			return true;
		for (size_t k = 0; k < d->n_mig; k++) {
			out->uuid = d->mig_uuid[k];
			if (str_eq(str_from(d->mig_uuid[k]), name))
				return true;
		}
	}
	return false;
}

/* --gpu counts what CUDA_VISIBLE_DEVICES leaves, in its order, as every CUDA program does; numbers in it are NVML's (PCI
 * order). As in CUDA, the first name that is no GPU ends the list. */
static bool choose_visible(struct choice *out, const struct gpu_devices *all, int64_t i_gpu, struct err *e)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");
	struct str list = str_from(visible ? visible : ""), name;
	size_t n = 0;
	for (; visible && str_split(&list, ',', &name); n++) {
		struct choice one;
		if (!choice_of(&one, all, str_trim(name)))
			break;
		if ((int64_t)n == i_gpu) {
			*out = one;
			return true;
		}
	}
	if (visible)
		return err_set(e, ERR_ENVIRONMENT,
			       "--gpu %lld: CUDA_VISIBLE_DEVICES=%s leaves %zu of this machine's %zu GPU%s",
			       (long long)i_gpu, visible, n, all->n, all->n == 1 ? "" : "s");
	if (!choice_at(out, all, i_gpu))
		return all->n ? err_set(e, ERR_ENVIRONMENT, "--gpu %lld: this machine has %zu GPU%s, 0 to %zu (0: %s)",
					(long long)i_gpu, all->n, all->n == 1 ? "" : "s", all->n - 1, all->v[0].name)
			      : err_set(e, ERR_ENVIRONMENT, "--gpu %lld: the driver sees no GPU", (long long)i_gpu);
	return true;
}

static bool choose_gpu(struct lab_device *out, struct json *facts, struct arena *a, int64_t i_gpu, struct err *e)
{
	struct nvml nvml;
	struct gpu_devices all;
	struct choice chosen = {NULL, NULL};
	if (!nvml_open(&nvml, e))
		return err_prefix(e, "no GPU can be used");
	bool ok = gpu_devices(a, &all, &nvml, e) && choose_visible(&chosen, &all, i_gpu, e);
	nvml_release(&nvml);
	if (!ok)
		return false;
	const struct gpu_device *d = chosen.gpu;
	const char *uuid = chosen.uuid;
	if (!uuid)
		return err_set(e, ERR_ENVIRONMENT,
			       "--gpu %lld: MIG is on and there is no instance: make one with nvidia-smi mig",
			       (long long)i_gpu);
	*out = (struct lab_device){.backend = "cuda",
				   .gpu = uuid,
				   .name = d->name,
				   .lease = arena_printf(a, "gpu:%s", uuid),
				   .sm = d->cc_major * 10 + d->cc_minor,
				   .i_gpu = d->index,
				   .pin_rate = ceiling_pin_rate(d->memory_bus_bits, d->max_memory_mhz * 1e6, 2)};
	json_set_cstr(facts, "kind", "gpu");
	json_set_cstr(facts, "name", d->name);
	json_set_cstr(facts, "uuid", uuid);
	json_set_cstr(facts, "compute_capability", arena_printf(a, "%d.%d", d->cc_major, d->cc_minor));
	json_set_cstr(facts, "driver", all.driver);
	json_set_i64(facts, "cuda_driver_version", all.cuda_version);
	json_set_u64(facts, "memory_bytes", d->memory_total_bytes);
	if (d->has & GPU_HAS_BUS_WIDTH)
		json_set_u64(facts, "memory_bus_bits", d->memory_bus_bits);
	if (d->has & GPU_HAS_MAX_MEM)
		json_set_u64(facts, "max_memory_mhz", d->max_memory_mhz);
	json_set_bool(facts, "mig", d->mig_enabled != 0);
	json_set_cstr(facts, "mps_pipe", all.mps_pipe);
	return true;
}

bool device_choose(struct lab_device *out, struct json **facts, struct arena *a, enum backend b, int64_t i_gpu,
		   struct err *e)
{
	*facts = json_object(a);
	if (b == BACKEND_C)
		return choose_cpu(out, *facts, a);
	struct err no_gpu = {ERR_NONE, ""};
	if (choose_gpu(out, *facts, a, i_gpu, &no_gpu))
		return true;
	if (!backend_is_python(b) || i_gpu > 0) {
		*e = no_gpu;
		return false;
	}
	json_set_cstr(*facts, "no_gpu", no_gpu.text); /* torch and Triton's interpreter run on the CPU, too */
	return choose_cpu(out, *facts, a);
}
