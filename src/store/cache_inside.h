/* What cache.c and cache_evict.c share. */
#ifndef ASSAY_STORE_CACHE_INSIDE_H
#define ASSAY_STORE_CACHE_INSIDE_H

#include "store/cache.h"

struct cache {
	struct arena arena;
	char *root, *drafts, *entries;
	uint64_t max_bytes;
};

char *cache_entry_path(struct arena *a, const struct cache *c, const char *key);
/* Opens and locks the entry's entry.json; -1 when it is absent, replaced meanwhile, or (LOCK_NB) in use. */
int cache_entry_lock(const char *path, int operation);
/* Removes a broken entry: moved away first, so that nobody sees half of it. */
void cache_remove(struct cache *c, const char *path);
/* Adds to the running total and evicts when it is above the limit. */
MUST_USE bool cache_account(struct cache *c, uint64_t n_bytes, struct err *e);

#endif
