/* The reference documents of a backend.
 * In: a backend's name. Out: rows of guide.def.
 * The documents themselves lie in reference/; a test looks for each key there.
 * Never: says which item fits. */
#include "loop/guide.h"

static const struct guide_item items[] = {
#define GUIDE(family, group, key, text) {family, group, key, text},
#include "loop/guide.def"
#undef GUIDE
};

static const char *family_of(const char *backend)
{
	if (strcmp(backend, "cutlass") == 0 || strcmp(backend, "triton") == 0)
		return backend;
	return "cuda";
}

const struct guide_item *guide_item(const char *backend, size_t i)
{
	const char *family = family_of(backend);
	for (size_t k = 0; k < COUNT_OF(items); k++) {
		if (strcmp(items[k].family, family) == 0 && i-- == 0)
			return &items[k];
	}
	return NULL;
}

const char *guide_group(const char *backend, size_t i)
{
	const struct guide_item *x;
	const char *last = "";
	for (size_t k = 0; (x = guide_item(backend, k)) != NULL; k++) {
		if (strcmp(x->group, last) == 0)
			continue;
		last = x->group;
		if (i-- == 0)
			return last;
	}
	return NULL;
}

const char *guide_files(const char *backend)
{
	const char *family = family_of(backend);
	if (strcmp(family, "cutlass") == 0)
		return "reference/cutlass/cutlass-optim.md";
	if (strcmp(family, "triton") == 0)
		return "reference/triton/triton-optim.md";
	return "reference/cuda/{optim,memory-optim,compute-optim,sync-optim}.md";
}

const char *guide_file(const struct guide_item *item)
{
	if (strcmp(item->family, "cutlass") == 0)
		return "cutlass/cutlass-optim.md";
	if (strcmp(item->family, "triton") == 0)
		return "triton/triton-optim.md";
	if (strcmp(item->group, "memory") == 0)
		return "cuda/memory-optim.md";
	return strcmp(item->group, "compute") == 0 ? "cuda/compute-optim.md" : "cuda/sync-optim.md";
}
