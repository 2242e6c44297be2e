/* Kernel resources: names, units and has-bits of one shared table.
 * In: numbers that a reader found in a compiler log, a binary or a profile.
 * Out: the same numbers by name, and as JSON.
 * Never derives a number from another one. */
#include "read/resource.h"

static const char *const names[] = {
#define X(id, name, unit) name,
	RESOURCE_TABLE(X)
#undef X
};
static const char *const units[] = {
#define X(id, name, unit) unit,
	RESOURCE_TABLE(X)
#undef X
};
_Static_assert(RESOURCE_COUNT <= 32, "has is 32 bits");

void resources_set(struct resources *r, enum resource i, uint64_t v)
{
	r->v[i] = v;
	r->has |= (uint32_t)1 << i;
}

void resources_add(struct resources *r, enum resource i, uint64_t v)
{
	uint64_t sum = resources_has(r, i) ? r->v[i] : 0;
	resources_set(r, i, sum > UINT64_MAX - v ? UINT64_MAX : sum + v);
}

bool resources_has(const struct resources *r, enum resource i)
{
	return (r->has >> i) & 1;
}

const char *resource_name(enum resource i)
{
	return names[i];
}

const char *resource_unit(enum resource i)
{
	return units[i];
}

void resources_json(const struct resources *r, struct json *obj)
{
	for (unsigned i = 0; i < RESOURCE_COUNT; i++)
		if (resources_has(r, (enum resource)i))
			json_set_u64(obj, names[i], r->v[i]);
}
