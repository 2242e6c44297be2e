/* Verifying an evidence root.
 * In: the root. Out: what is damaged, unfinished or left over.
 * Objects by their manifests, records by the digests in the references of others, results by the objects that they name.
 * Never: changes anything; proves a record that no other one refers to. */
#include <dirent.h>
#include <string.h>

#include "base/map.h"
#include "protocol/evidence.h"

struct work {
	struct protocol *p;
	struct json *report;
	struct map records; /* path -> struct record, of those that a reference names */
};
struct record {
	char sha256[SHA256_HEX]; /* empty: cannot be read */
	bool is_told;            /* once, however many refer to it */
};

static void damage(struct json *report, const char *path, const char *what)
{
	struct json *j = json_object(report->arena);
	json_set_cstr(j, "path", path);
	json_set_cstr(j, "what", what);
	json_push(json_get(report, "damage"), j);
}

static void count(struct json *report, const char *key, uint64_t n)
{
	json_set_u64(report, key, (uint64_t)json_i64(report, key, 0) + n);
}

/* The record that a reference names, below the root; NULL: it names something else. */
static const char *referred(struct arena *a, struct str key, const struct json *ref)
{
	struct str call = json_str(ref, "invocation_id", STR("")), id = json_str(ref, "id", STR(""));
	if (call.n)
		return arena_printf(a, "invocations/%.*s/result.json", STR_ARG(call));
	if (str_is(key, "target_ref"))
		return "target.json";
	if (str_starts(id, "exp-"))
		return arena_printf(a, "experiments/%.*s.json", STR_ARG(id));
	return str_starts(id, "sel-") ? arena_printf(a, "champion/selections/%.*s.json", STR_ARG(id)) : NULL;
}

static void look_at_reference(struct work *w, const char *from, struct str key, const struct json *ref)
{
	struct arena *a = w->report->arena;
	struct str sha256 = json_str(ref, "sha256", STR(""));
	const char *path = sha256.n ? referred(a, key, ref) : NULL;
	struct err ignored;
	if (!path || str_find(str_from(path), STR("..")) != SIZE_MAX)
		return;
	struct record *r = map_get(&w->records, str_from(path));
	if (!r) {
		r = ARENA_NEW(a, struct record);
		*r = (struct record){.is_told = false};
		if (!sha256_file(evidence_path(w->p, path), r->sha256, &ignored))
			r->sha256[0] = '\0';
		map_set(&w->records, str_from(path), r);
	}
	if (r->is_told || str_eq(sha256, str_from(r->sha256)))
		return;
	r->is_told = true;
	damage(w->report, path,
	       arena_printf(a, "%s, which %s refers to", *r->sha256 ? "is not what it was" : "cannot be read", from));
}

/* All references of a record, wherever they stand in it. */
static void look_at_references(struct work *w, const char *from, const struct json *j)
{
	bool is_object = j->type == JSON_OBJECT;
	for (size_t i = 0; (is_object || j->type == JSON_ARRAY) && i < j->n; i++) {
		const struct json *x = is_object ? j->members[i].value : j->items[i];
		if (is_object && x->type == JSON_OBJECT && str_ends(j->members[i].key, "_ref"))
			look_at_reference(w, from, j->members[i].key, x);
		else
			look_at_references(w, from, x);
	}
}

static bool look_at_objects(struct work *w, struct err *e)
{
	struct protocol *p = w->p;
	struct json *report = w->report;
	size_t n = 0;
	char *folder = evidence_path(p, "objects/sha256");
	char **names = file_is_dir(folder) ? file_list(p->arena, folder, &n, e) : ARENA_ARRAY(p->arena, 1, char *);
	if (!names)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct err why = {ERR_NONE, ""};
		if (names[i][0] == '.') {
			count(report, "n_leftovers", 1);
			continue;
		}
		count(report, "n_objects", 1);
		struct arena_mark mark = arena_mark(p->arena); /* after what the report keeps */
		if (evidence_check_object(p, names[i], &why)) {
			arena_reset(p->arena, mark);
			continue;
		}
		damage(report, arena_printf(p->arena, "objects/sha256/%s", names[i]), arena_strdup(p->arena, why.text));
	}
	return true;
}

static bool look_at_folder(struct work *w, const char *folder, struct err *e)
{
	struct protocol *p = w->p;
	struct json *report = w->report;
	size_t n = 0;
	char *path = evidence_path(p, folder);
	char **names = file_is_dir(path) ? file_list(p->arena, path, &n, e) : ARENA_ARRAY(p->arena, 1, char *);
	if (!names)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct err why = {ERR_NONE, ""};
		char *name = arena_printf(p->arena, "%s/%s", folder, names[i]);
		if (names[i][0] == '.') {
			count(report, "n_leftovers", 1);
			continue;
		}
		count(report, "n_records", 1);
		struct json *j = evidence_record(p, name, NULL, &why);
		const char *id = json_str(j, "id", STR("")).p;
		size_t length = id ? strlen(id) : 0;
		if (!j)
			damage(report, name, arena_strdup(p->arena, why.text));
		else if (length && (strncmp(names[i], id, length) != 0 || strcmp(names[i] + length, ".json") != 0))
			damage(report, name, "is not the record that its name says");
		else
			look_at_references(w, name, j);
	}
	return true;
}

/* Every output that a result names is there: an object. */
static void look_at_result(struct protocol *p, struct json *report, const char *name, const struct json *result)
{
	const struct json *receipts = json_get(result, "command_receipts");
	for (size_t i = 0; receipts && i < receipts->n; i++) {
		struct str where = json_str(json_get(receipts->items[i], "driver_output_ref"), "locator", STR(""));
		if (where.n && !file_is_dir(evidence_path(p, where.p)))
			damage(report, name, arena_printf(p->arena, "names %s, which is not there", where.p));
	}
}

static bool look_at_invocations(struct work *w, struct err *e)
{
	struct protocol *p = w->p;
	struct json *report = w->report;
	size_t n = 0;
	char *path = evidence_path(p, "invocations");
	char **names = file_is_dir(path) ? file_list(p->arena, path, &n, e) : ARENA_ARRAY(p->arena, 1, char *);
	struct arena scratch; /* results may be large */
	struct protocol reading = *p;
	if (!names)
		return false;
	arena_init(&scratch);
	reading.arena = &scratch;
	for (size_t i = 0; i < n; i++) {
		struct err why = {ERR_NONE, ""};
		char *name = arena_printf(p->arena, "invocations/%s/result.json", names[i]);
		if (!file_exists(evidence_path(p, name))) {
			json_push_str(json_get(report, "unfinished"), str_from(names[i]));
			continue;
		}
		count(report, "n_records", 1);
		struct json *j = evidence_record(&reading, name, NULL, &why);
		if (!j)
			damage(report, name, arena_strdup(p->arena, why.text));
		else {
			look_at_result(p, report, name, j);
			look_at_references(w, name, j);
		}
		arena_clear(&scratch);
	}
	arena_release(&scratch);
	return true;
}

/* One that has a name of its own. */
static void look_at_record(struct work *w, const char *name)
{
	struct err why = {ERR_NONE, ""};
	struct json *j = evidence_record(w->p, name, NULL, &why);
	count(w->report, "n_records", 1);
	if (j)
		look_at_references(w, name, j);
	else
		damage(w->report, name, arena_strdup(w->p->arena, why.text));
}

struct json *evidence_verify(struct protocol *p, struct err *e)
{
	struct work w = {.p = p, .report = json_object(p->arena)};
	static const char *const folders[] = {"experiments", "champion/selections", "reconciliations",
					      "falsifications"};
	map_init(&w.records, p->arena);
	json_set_cstr(w.report, "format", "assay/evidence-verify-v1");
	json_set_cstr(w.report, "root", p->root);
	json_set_u64(w.report, "n_objects", 0);
	json_set_u64(w.report, "n_records", 0);
	json_set_u64(w.report, "n_leftovers", 0);
	json_set_array(w.report, "damage");
	json_set_array(w.report, "unfinished");
	look_at_record(&w, "target.json");
	if (file_exists(evidence_path(p, "champion/current.json")))
		look_at_record(&w, "champion/current.json");
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		if (!look_at_folder(&w, folders[i], e))
			return NULL;
	}
	return look_at_objects(&w, e) && look_at_invocations(&w, e) ? w.report : NULL;
}
