/* Hash map from a string to a pointer, in insertion order. Keys are copied into the map's arena. */
#ifndef ASSAY_BASE_MAP_H
#define ASSAY_BASE_MAP_H

#include "base/arena.h"

struct map_entry {
	struct str key;
	void *value;
	uint64_t hash;
};
struct map {
	struct arena *arena;       /* owns keys and tables */
	struct map_entry *entries; /* n of them, in insertion order: iterate over these */
	size_t n, cap;
	uint32_t *slots; /* index + 1, 0 = empty; n_slots is a power of two */
	size_t n_slots;
};

void map_init(struct map *m, struct arena *a);
void *map_get(const struct map *m, struct str key);              /* NULL when absent */
struct map_entry *map_find(const struct map *m, struct str key); /* NULL when absent */
/* Inserts or replaces; returns the entry. */
struct map_entry *map_set(struct map *m, struct str key, void *value);
/* Finds or inserts with value NULL. *is_new may be NULL. */
struct map_entry *map_intern(struct map *m, struct str key, bool *is_new);

#endif
