/* Facts about the machine and its GPUs, as JSON for the preflight and for records. No context is made. */
#ifndef ASSAY_COLLECT_MACHINE_H
#define ASSAY_COLLECT_MACHINE_H

#include "base/arena.h"
#include "base/json.h"
#include "gpu/nvml.h"

struct json *machine_host(struct arena *a);
/* {"state":"loaded"|"absent","reason","version","cuda","library","mps_pipe","visible_devices"}. `gpus` gets one object a
 * GPU; *out (strings in the arena) is empty when there is no driver. */
struct json *machine_driver(struct arena *a, struct gpu_devices *out, struct json *gpus);
/* One object of `gpus`. */
struct json *machine_gpu(struct arena *a, const struct gpu_device *d);
/* May a profiler read GPU counters: {"allowed":true|false|null,"found","advice"}. `root`: "" or a folder that holds
 * proc/driver/nvidia/params, proc/self/status, proc/self/uid_map (tests). Source: "ERR_NVGPUCTRPERM" in NVIDIA's
 * developer notes; the driver asks for CAP_SYS_ADMIN or CAP_PERFMON of the first user namespace. */
struct json *machine_counters(struct arena *a, const char *root);

#endif
