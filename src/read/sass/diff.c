/* What changed between two builds.
 * In: two SASS listings, or two binaries.
 * Out: kernels with the counts that differ and the mechanisms gained and lost.
 * Never: calls a change good or bad. */
#include "read/sass/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "read/sass/internal.h"

struct pair {
	const void *before, *after;
};

const char *diff_state_name(enum diff_state s)
{
	static const char *const names[] = {"same", "changed", "added", "removed"};
	return names[s];
}

static uint64_t distance(const struct diff_count *c)
{
	return c->before > c->after ? c->before - c->after : c->after - c->before;
}

static int by_distance(const void *x, const void *y)
{
	const struct diff_count *a = x, *b = y;
	uint64_t da = distance(a), db = distance(b);
	return da != db ? (da < db ? 1 : -1) : str_cmp(a->name, b->name);
}

/* name, a line break, the number of the architecture */
static struct str key_of(struct arena *a, struct str name, struct str arch)
{
	return str_from(arena_printf(a, "%.*s\n%u", STR_ARG(name), opcode_sm(arch)));
}

static void opcode_changes(struct diff_kernel *d, struct arena *a, const struct sass_kernel *x,
			   const struct sass_kernel *y)
{
	size_t n_x = x ? x->n_opcodes : 0, n_y = y ? y->n_opcodes : 0;
	struct map m;
	map_init(&m, a);
	struct diff_count *all = ARENA_ARRAY(a, n_x + n_y + 1, struct diff_count);
	size_t n = 0;
	for (size_t side = 0; side < 2; side++) {
		const struct sass_kernel *k = side ? y : x;
		for (size_t i = 0; i < (side ? n_y : n_x); i++) {
			struct map_entry *e = map_intern(&m, k->opcodes[i].name, NULL);
			if (!e->value) {
				all[n].name = k->opcodes[i].name;
				all[n].has_before = all[n].has_after = true;
				e->value = &all[n++];
			}
			struct diff_count *c = e->value;
			*(side ? &c->after : &c->before) += k->opcodes[i].n;
		}
	}
	d->counts = all;
	for (size_t i = 0; i < n; i++)
		if (all[i].before != all[i].after)
			all[d->n_counts++] = all[i];
	qsort(all, d->n_counts, sizeof *all, by_distance);
	d->n_before = x ? x->n : 0;
	d->n_after = y ? y->n : 0;
}

static void mechanism_changes(struct diff_kernel *d, struct arena *a, const struct sass_listing *l[2],
			      const struct pair *p)
{
	size_t n = 0;
	struct sass_finding *found[2] = {NULL, NULL};
	const struct sass_kernel *k[2] = {p->before, p->after};
	for (size_t side = 0; side < 2; side++)
		if (k[side])
			found[side] = sass_judge_all(l[side], k[side], a, &n);
	d->gained = ARENA_ARRAY(a, n + 1, const char *);
	d->lost = ARENA_ARRAY(a, n + 1, const char *);
	const struct sass_finding *named = found[0] ? found[0] : found[1];
	for (size_t i = 0; named && i < n; i++) {
		bool before = found[0] && found[0][i].verdict == SASS_SHOWN;
		bool after = found[1] && found[1][i].verdict == SASS_SHOWN;
		if (after && !before)
			d->gained[d->n_gained++] = named[i].key;
		if (before && !after)
			d->lost[d->n_lost++] = named[i].key;
	}
}

static enum diff_state state_of(const struct pair *p, const struct diff_kernel *d)
{
	if (!p->before)
		return DIFF_ADDED;
	if (!p->after)
		return DIFF_REMOVED;
	return d->n_counts || d->n_gained || d->n_lost ? DIFF_CHANGED : DIFF_SAME;
}

/* The pair of a key; made when it is new. */
static struct pair *pair_of(struct map *m, struct arena *a, struct str key)
{
	struct map_entry *e = map_intern(m, key, NULL);
	if (!e->value)
		e->value = ARENA_NEW(a, struct pair);
	return e->value;
}

void diff_sass(struct diff *out, struct arena *a, const struct sass_listing *before, const struct sass_listing *after)
{
	const struct sass_listing *l[2] = {before, after};
	struct map m;
	map_init(&m, a);
	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; i < l[side]->n_kernels; i++) {
			const struct sass_kernel *k = &l[side]->kernels[i];
			struct pair *p = pair_of(&m, a, key_of(a, k->name, k->arch));
			const void **to = side ? &p->after : &p->before;
			*to = *to ? *to : k;
		}
	}
	*out = (struct diff){.v = ARENA_ARRAY(a, m.n ? m.n : 1, struct diff_kernel), .n = m.n};
	for (size_t i = 0; i < m.n; i++) {
		const struct pair *p = m.entries[i].value;
		const struct sass_kernel *any = p->before ? p->before : p->after;
		struct diff_kernel *d = &out->v[i];
		d->name = any->name;
		d->arch = any->arch;
		opcode_changes(d, a, p->before, p->after);
		mechanism_changes(d, a, l, p);
		d->state = state_of(p, d);
		out->n_same += d->state == DIFF_SAME;
	}
}

static void resource_changes(struct diff_kernel *d, struct arena *a, const struct elf_kernel *x,
			     const struct elf_kernel *y)
{
	static const struct resources none;
	const struct resources *b = x ? &x->r : &none, *c = y ? &y->r : &none;
	d->counts = ARENA_ARRAY(a, RESOURCE_COUNT, struct diff_count);
	for (unsigned i = 0; i < RESOURCE_COUNT; i++) {
		enum resource r = (enum resource)i;
		struct diff_count *to = &d->counts[d->n_counts];
		*to = (struct diff_count){str_from(resource_name(r)), b->v[r], c->v[r], resources_has(b, r),
					  resources_has(c, r)};
		d->n_counts += to->has_before != to->has_after || to->before != to->after;
	}
	d->n_before = b->v[RESOURCE_CODE];
	d->n_after = c->v[RESOURCE_CODE];
}

void diff_elf(struct diff *out, struct arena *a, const struct elf_file *before, const struct elf_file *after)
{
	const struct elf_file *f[2] = {before, after};
	struct map m;
	map_init(&m, a);
	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; i < f[side]->n_images; i++) {
			const struct elf_image *image = &f[side]->images[i];
			for (size_t k = 0; image->kind == ELF_IMAGE_CUBIN && k < image->n_kernels; k++) {
				struct pair *p = pair_of(&m, a, key_of(a, image->kernels[k].name, image->arch));
				const void **to = side ? &p->after : &p->before;
				*to = *to ? *to : &image->kernels[k];
			}
		}
	}
	*out = (struct diff){.v = ARENA_ARRAY(a, m.n ? m.n : 1, struct diff_kernel), .n = m.n};
	for (size_t i = 0; i < m.n; i++) {
		const struct pair *p = m.entries[i].value;
		const struct elf_kernel *any = p->before ? p->before : p->after;
		struct diff_kernel *d = &out->v[i];
		struct str key = m.entries[i].key;
		size_t line = str_find_char(key, '\n');
		d->name = any->name;
		d->arch = str_from(arena_printf(a, "sm_%.*s", (int)(key.n - line - 1), key.p + line + 1));
		resource_changes(d, a, p->before, p->after);
		d->state = state_of(p, d);
		out->n_same += d->state == DIFF_SAME;
	}
}

static void words_json(struct json *j, const char *key, const char **words, size_t n)
{
	struct json *list = json_set_array(j, key);
	for (size_t i = 0; i < n; i++)
		json_push_str(list, str_from(words[i]));
}

static struct json *kernel_json(const struct diff_kernel *d, struct arena *a)
{
	struct json *j = json_object(a), *changes = json_set_array(j, "changes");
	json_set_str(j, "name", d->name);
	json_set_str(j, "arch", d->arch);
	json_set_cstr(j, "state", diff_state_name(d->state));
	json_set_u64(j, "before", d->n_before);
	json_set_u64(j, "after", d->n_after);
	for (size_t i = 0; i < d->n_counts; i++) {
		struct json *c = json_object(a);
		json_set_str(c, "name", d->counts[i].name);
		if (d->counts[i].has_before)
			json_set_u64(c, "before", d->counts[i].before);
		if (d->counts[i].has_after)
			json_set_u64(c, "after", d->counts[i].after);
		json_push(changes, c);
	}
	if (d->gained) {
		words_json(j, "mechanisms_gained", d->gained, d->n_gained);
		words_json(j, "mechanisms_lost", d->lost, d->n_lost);
	}
	return j;
}

struct json *diff_json(const struct diff *d, struct arena *a)
{
	struct json *j = json_object(a), *kernels = json_set_array(j, "kernels");
	for (size_t i = 0; i < d->n; i++)
		json_push(kernels, kernel_json(&d->v[i], a));
	json_set_u64(j, "n_same", d->n_same);
	return j;
}
