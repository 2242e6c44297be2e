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

static bool choose_gpu(struct lab_device *out, struct json *facts, struct arena *a, int64_t i_gpu, struct err *e)
{
	struct nvml nvml;
	struct gpu_devices all;
	if (!nvml_open(&nvml, e))
		return err_prefix(e, "no GPU can be used");
	bool ok = gpu_devices(a, &all, &nvml, e);
	if (ok && (i_gpu < 0 || (size_t)i_gpu >= all.n))
		ok = all.n ? err_set(e, ERR_ENVIRONMENT, "--gpu %lld: this machine has %zu GPU%s, 0 to %zu (0: %s)",
				     (long long)i_gpu, all.n, all.n == 1 ? "" : "s", all.n - 1, all.v[0].name)
			   : err_set(e, ERR_ENVIRONMENT, "--gpu %lld: the driver sees no GPU", (long long)i_gpu);
	nvml_release(&nvml);
	if (!ok)
		return false;
	const struct gpu_device *d = &all.v[i_gpu];
	const char *uuid = d->uuid;
	if (d->mig_enabled && d->n_mig == 0)
		return err_set(e, ERR_ENVIRONMENT,
			       "--gpu %lld: MIG is on and there is no instance: make one with nvidia-smi mig",
			       (long long)i_gpu);
	if (d->mig_enabled)
		uuid = d->mig_uuid[0]; /* a process sees one instance: that one is measured and leased */
	*out = (struct lab_device){.backend = "cuda",
				   .gpu = uuid,
				   .name = d->name,
				   .lease = arena_printf(a, "gpu:%s", uuid),
				   .sm = d->cc_major * 10 + d->cc_minor,
				   .i_gpu = (unsigned)i_gpu,
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
