/* Ceilings of a device.
 * In: a device. Out: rates measured here or taken from the cache, the vendor's row.
 * Keyed by device and driver, so that another card or an update is measured anew.
 * Never: mixes a measured rate with the vendor's without saying which it is. */
#include "measure/ceilings.h"

#include <math.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"
#include "base/version.h"
#include "store/cache.h"

static const struct {
	const char *name, *unit, *what;
} table[CEILINGS_COUNT] = {
#define CEILINGS_X(id, name, unit, what) [CEILINGS_##id] = {name, unit, what},
	CEILINGS_TABLE(CEILINGS_X)
#undef CEILINGS_X
};

static const struct {
	const char *name;
	double bytes, fp32, fp16, bf16, fp8;
	const char *source;
} vendors[] = {
#define VENDOR(name, bytes, fp32, fp16, bf16, fp8, source) {name, bytes, fp32, fp16, bf16, fp8, source},
#include "gpu/vendor.def"
#undef VENDOR
};

const char *ceilings_name(enum ceilings_id i)
{
	return table[i].name;
}

const char *ceilings_unit(enum ceilings_id i)
{
	return table[i].unit;
}

const char *ceilings_what(enum ceilings_id i)
{
	return table[i].what;
}

static double known(double v)
{
	return v > 0 ? v : NAN;
}

static void begin(struct ceilings *out, const struct lab_device *d)
{
	*out = (struct ceilings){0};
	for (size_t i = 0; i < CEILINGS_COUNT; i++)
		out->measured[i] = out->vendor[i] = NAN;
	for (size_t i = 0; d->gpu && i < COUNT_OF(vendors); i++) {
		if (strcmp(d->name, vendors[i].name) != 0)
			continue;
		out->vendor_source = vendors[i].source;
		out->vendor[CEILINGS_COPY] = out->vendor[CEILINGS_READ] = vendors[i].bytes;
		out->vendor[CEILINGS_FP32] = vendors[i].fp32;
		out->vendor[CEILINGS_FP16] = known(vendors[i].fp16);
		out->vendor[CEILINGS_BF16] = known(vendors[i].bf16);
		out->vendor[CEILINGS_FP8] = known(vendors[i].fp8);
	}
}

static void key_of(char key[SHA256_HEX], const struct lab_device *d, const struct json *facts)
{
	struct sha256 s;
	char cpus[32];
	snprintf(cpus, sizeof(cpus), "%lld", (long long)json_i64(facts, "n_cpus", 0));
	sha256_init(&s);
	sha256_str(&s, STR("assay/ceiling-v1"));
	sha256_str(&s, str_from(d->gpu ? d->gpu : d->name));
	sha256_str(&s, json_str(facts, "driver", str_from(cpus)));
	sha256_hex(&s, key);
}

static struct json *values_json(struct arena *a, const double *v)
{
	struct json *j = json_object(a);
	for (size_t i = 0; i < CEILINGS_COUNT; i++) {
		if (isfinite(v[i]))
			json_set_f64(j, table[i].name, v[i]);
	}
	return j;
}

bool ceilings_measure(struct ceilings *out, struct arena *a, const struct lab_device *d, const struct json *facts,
		      const struct ceilings_options *o, struct err *e)
{
	struct json *j = json_object(a), *reasons = json_object(a), *device = json_object(a);
	char now[25];
	int64_t begun = clock_ns();
	begin(out, d);
	if (!d->gpu)
		ceilings_cpu(out, reasons, o);
	else if (!ceilings_gpu(out, reasons, d, o, e))
		return false;
	clock_utc_iso(now);
	for (size_t i = 0; i < facts->n; i++)
		json_put(device, facts->members[i].key, facts->members[i].value);
	json_set_cstr(j, "format", "assay/ceiling-v1");
	json_set(j, "tool", version_json(a));
	json_set_cstr(j, "created", now);
	json_set(j, "device", device);
	json_set(j, "measured", values_json(a, out->measured));
	json_set(j, "not_measured", reasons);
	json_set(j, "vendor", values_json(a, out->vendor));
	json_set_cstr(j, "vendor_source", out->vendor_source);
	json_set_u64(j, "l2_bytes", out->l2_bytes);
	json_set_f64(j, "seconds", (double)(clock_ns() - begun) / 1e9);
	out->record = j;
	out->is_measured = true;
	return true;
}

/* One file a device and driver, replaced when it is measured again. NULL: there is no such folder and none can be made. */
static const char *path_of(struct arena *a, const struct lab_device *d, const struct json *facts)
{
	char key[SHA256_HEX];
	struct err ignored;
	struct cache *cache = cache_open("ceiling", 0, &ignored);
	key_of(key, d, facts);
	const char *path = cache ? path_join(a, cache_folder(cache), arena_printf(a, "%.16s.json", key)) : NULL;
	cache_free(cache);
	return path;
}

void ceilings_keep(const struct ceilings *c, const struct lab_device *d, const struct json *facts)
{
	struct err why;
	struct buf b;
	const char *path = path_of(c->record->arena, d, facts);
	buf_init(&b);
	json_write(&b, c->record, JSON_PRETTY);
	if (path && !file_write_str(path, buf_view(&b), &why))
		log_note("%s", why.text);
	buf_release(&b);
}

void ceilings_load(struct ceilings *out, struct arena *a, const struct lab_device *d, const struct json *facts)
{
	struct err ignored;
	const char *path = path_of(a, d, facts);
	begin(out, d);
	if (path && file_exists(path))
		out->record = json_read_file(a, path, JSON_STRICT, &ignored);
	const struct json *measured = json_get(out->record, "measured");
	for (size_t i = 0; measured && i < CEILINGS_COUNT; i++)
		out->measured[i] = json_f64(measured, table[i].name, NAN);
	out->is_measured = measured != NULL;
	out->l2_bytes = (uint64_t)json_f64(out->record, "l2_bytes", 0);
}

static double choose(const struct ceilings *c, enum ceilings_id i, bool *is_measured)
{
	*is_measured = isfinite(c->measured[i]);
	return *is_measured ? c->measured[i] : isfinite(c->vendor[i]) ? c->vendor[i] : 0;
}

double ceilings_peak_flops(const struct ceilings *c, enum dtype t, bool *is_measured)
{
	*is_measured = false;
	switch (t) {
	case DTYPE_F32:
		return choose(c, CEILINGS_FP32, is_measured);
	case DTYPE_F16:
		return choose(c, CEILINGS_FP16, is_measured);
	case DTYPE_BF16:
		return choose(c, CEILINGS_BF16, is_measured);
	case DTYPE_F8E4M3:
	case DTYPE_F8E5M2:
		return choose(c, CEILINGS_FP8, is_measured);
	case DTYPE_F64:
	case DTYPE_I8:
	case DTYPE_U8:
	case DTYPE_I16:
	case DTYPE_U16:
	case DTYPE_I32:
	case DTYPE_U32:
	case DTYPE_I64:
	case DTYPE_U64:
	case DTYPE_BOOL:
	case DTYPE_COUNT:
		break;
	}
	return 0;
}

double ceilings_peak_bytes(const struct ceilings *c, bool *is_measured)
{
	double read = choose(c, CEILINGS_READ, is_measured), copy = choose(c, CEILINGS_COPY, is_measured);
	return fmax(read, copy);
}
