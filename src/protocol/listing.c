/* What an evidence root holds.
 * In: a root. Out: its Experiments and invocations, and how each stands.
 * Who runs an invocation is asked of its lock, which its processes hold.
 * Never: finishes what is left of a dead one; that is the status of that invocation. */
#include "protocol/listing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "protocol/champion.h"

static void copy(struct json *to, const struct json *from, const char *key)
{
	struct str s = json_str(from, key, STR(""));
	json_set_null(to, key);
	if (s.n)
		json_set_str(to, key, s);
}

static bool is_running(struct protocol *p, const char *id)
{
	int fd = open(arena_printf(p->arena, "%s/invocations/%s/.owner", p->root, id),
		      O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool free = fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0;
	if (fd >= 0)
		close(fd);
	return !free;
}

/* Its records are read in `scratch`: results may be large, and there are many. */
static struct json *one(struct protocol *scratch, struct arena *a, const char *id, struct err *e)
{
	struct protocol *p = scratch;
	char *path = arena_printf(p->arena, "invocations/%s/result.json", id);
	struct json *q = evidence_record(p, arena_printf(p->arena, "invocations/%s/request.json", id), NULL, e),
		    *r = NULL;
	bool is_done = file_exists(evidence_path(p, path));
	if (!q || (is_done && !(r = evidence_record(p, path, NULL, e))))
		return NULL;
	struct json *j = json_object(a);
	json_set_cstr(j, "id", id);
	copy(j, q, "operation");
	json_set_f64(j, "created_at_epoch", json_f64(q, "created_at_epoch", 0));
	json_set_cstr(j, "state", is_done ? "completed" : is_running(p, id) ? "running" : "unfinished");
	json_set_null(j, "experiment_id");
	if (json_get(q, "experiment_ref"))
		json_set_str(j, "experiment_id", json_str(json_get(q, "experiment_ref"), "id", STR("")));
	copy(j, r, "verdict");
	copy(j, r, "stop_reason");
	return j;
}

static int by_time(const void *a, const void *b)
{
	const struct json *const *x = a, *const *y = b;
	double s = json_f64(*x, "created_at_epoch", 0), t = json_f64(*y, "created_at_epoch", 0);
	return (s > t) - (s < t);
}

static bool put_invocations(struct json *j, struct protocol *p, struct err *e)
{
	size_t n = 0;
	char **names = file_list(p->arena, evidence_path(p, "invocations"), &n, e);
	struct json *list = json_set_array(j, "invocations");
	struct arena scratch;
	struct protocol reading = *p;
	bool ok = names != NULL;
	arena_init(&scratch);
	reading.arena = &scratch;
	for (size_t i = 0; ok && i < n; i++) {
		if (!str_starts(str_from(names[i]), "inv-"))
			continue;
		struct json *x = one(&reading, p->arena, names[i], e);
		ok = x != NULL;
		if (ok)
			json_push(list, x);
		arena_clear(&scratch);
	}
	arena_release(&scratch);
	if (list->n)
		qsort(list->items, list->n, sizeof(struct json *), by_time);
	return ok;
}

static bool put_experiments(struct json *j, struct protocol *p, struct err *e)
{
	size_t n = 0;
	char **names = file_list(p->arena, evidence_path(p, "experiments"), &n, e);
	struct json *list = json_set_array(j, "experiments");
	for (size_t i = 0; names && i < n; i++) {
		if (!str_ends(str_from(names[i]), ".json"))
			continue;
		struct json *r = evidence_record(p, arena_printf(p->arena, "experiments/%s", names[i]), NULL, e);
		if (!r)
			return false;
		struct json *x = json_object(p->arena);
		copy(x, r, "id");
		copy(x, r, "mechanism_key");
		copy(x, r, "hypothesis");
		json_push(list, x);
	}
	return names != NULL;
}

static bool put_champion(struct json *j, struct protocol *p, const struct target *t, struct err *e)
{
	struct champion now;
	json_set_null(j, "champion");
	if (!str_is(json_str(t->record, "target_mode", STR("")), "optimization"))
		return true;
	if (!champion_load(&now, p, t, e))
		return false;
	struct json *c = json_set_object(j, "champion");
	copy(c, now.variant, "digest");
	json_set_bool(c, "is_original", now.selection_ref == NULL);
	return true;
}

struct json *listing_make(struct protocol *p, struct err *e)
{
	struct target t;
	if (!target_load(&t, p, NULL, e))
		return NULL;
	struct json *j = json_object(p->arena);
	json_set_cstr(j, "format", "assay/target-status-v1");
	json_set_cstr(j, "root", p->root);
	json_set_str(j, "target_id", json_str(t.ref, "id", STR("")));
	copy(j, t.record, "target_mode");
	bool ok = put_champion(j, p, &t, e) && put_experiments(j, p, e) && put_invocations(j, p, e);
	return ok ? j : NULL;
}
