/* Top-level members of a trace: versions, devices, ranks, the base time.
 * In: key and raw value.
 * Out: known members as JSON; names only of the others.
 * Never keeps a member that is not in the table: traces hold environments, hosts, users and tokens. */
#include "read/kineto/internal.h"

#include "read/scan.h"

static const char *const known[] = {
	"schemaVersion",       "deviceProperties",  "cupti_version",       "cuda_runtime_version",
	"cuda_driver_version", "roctracer_version", "rocprofiler_version", "hip_runtime_version",
	"hip_driver_version",  "record_shapes",     "profile_memory",      "with_stack",
	"with_flops",          "with_modules",      "distributedInfo",     "displayTimeUnit",
	"baseTimeNanoseconds", "trace_id",          "assayMark",
};
#define MAX_VALUE ((size_t)1 << 20)

void kineto_meta(struct meta *m, struct str key, struct str value)
{
	struct err e;
	bool is_known = false;
	for (size_t i = 0; i < COUNT_OF(known); i++)
		is_known |= str_is(key, known[i]);
	if (!is_known || value.n > MAX_VALUE) {
		if (m->unmodeled.n < 256)
			(void)map_intern(&m->unmodeled, str_sub(key, 0, 128), NULL);
		return;
	}
	struct str text = arena_str(&m->arena, value);
	struct json *j = json_parse(&m->arena, "trace", text, JSON_ALLOW_NAN | JSON_ALLOW_DUPLICATES, &e);
	if (!j)
		return;
	char *name = arena_strndup(&m->arena, key.p, key.n);
	if (!json_get(m->members, name))
		json_set(m->members, name, j);
	if (str_is(key, "baseTimeNanoseconds") && j->type == JSON_INT) {
		m->has_base = true;
		m->base_ns = j->i;
	}
}
