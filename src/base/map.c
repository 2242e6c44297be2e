/* Hash map from a string to a pointer.
 * In: keys (copied) and values. Out: entries in insertion order.
 * Open addressing, at most half full; old tables stay in the arena until it goes.
 * Never: removes an entry. */
#include "base/map.h"

#include <string.h>

void map_init(struct map *m, struct arena *a)
{
	*m = (struct map){.arena = a};
}

static size_t map_slot(const struct map *m, struct str key, uint64_t hash)
{
	size_t i = (size_t)hash & (m->n_slots - 1);
	while (m->slots[i]) {
		const struct map_entry *at = &m->entries[m->slots[i] - 1];
		if (at->hash == hash && str_eq(at->key, key))
			break;
		i = (i + 1) & (m->n_slots - 1);
	}
	return i;
}

static void map_grow(struct map *m)
{
	size_t cap = m->cap ? m->cap * 2 : 8;
	struct map_entry *entries = ARENA_ARRAY(m->arena, cap, struct map_entry);
	if (m->entries)
		memcpy(entries, m->entries, m->n * sizeof(*entries));
	m->entries = entries;
	m->cap = cap;
	m->n_slots = cap * 2;
	m->slots = ARENA_ARRAY(m->arena, m->n_slots, uint32_t);
	for (size_t i = 0; i < m->n; i++)
		m->slots[map_slot(m, entries[i].key, entries[i].hash)] = (uint32_t)i + 1;
}

struct map_entry *map_find(const struct map *m, struct str key)
{
	if (!m->n)
		return NULL;
	uint32_t at = m->slots[map_slot(m, key, str_hash(key))];
	return at ? &m->entries[at - 1] : NULL;
}

void *map_get(const struct map *m, struct str key)
{
	const struct map_entry *at = map_find(m, key);
	return at ? at->value : NULL;
}

struct map_entry *map_intern(struct map *m, struct str key, bool *is_new)
{
	struct map_entry *at = map_find(m, key);
	if (is_new)
		*is_new = !at;
	if (at)
		return at;
	if (m->n == m->cap || !m->entries)
		map_grow(m);
	uint64_t hash = str_hash(key);
	at = &m->entries[m->n++];
	*at = (struct map_entry){arena_str(m->arena, key), NULL, hash};
	m->slots[map_slot(m, key, hash)] = (uint32_t)m->n;
	return at;
}

struct map_entry *map_set(struct map *m, struct str key, void *value)
{
	struct map_entry *at = map_intern(m, key, NULL);
	at->value = value;
	return at;
}
