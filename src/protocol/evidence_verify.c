/* Verifying an evidence root.
 * In: the root. Out: what is damaged, unfinished or left over.
 * Objects by their manifests, selections by the pointer, results by the objects that they name.
 * Never: changes anything. */
#include <dirent.h>

#include "protocol/evidence.h"

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

static bool look_at_objects(struct protocol *p, struct json *report, struct err *e)
{
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

static bool look_at_folder(struct protocol *p, struct json *report, const char *folder, struct err *e)
{
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

static bool look_at_invocations(struct protocol *p, struct json *report, struct err *e)
{
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
		else
			look_at_result(p, report, name, j);
		arena_clear(&scratch);
	}
	arena_release(&scratch);
	return true;
}

struct json *evidence_verify(struct protocol *p, struct err *e)
{
	struct json *report = json_object(p->arena);
	struct err why = {ERR_NONE, ""};
	static const char *const folders[] = {"experiments", "champion/selections"};
	json_set_cstr(report, "format", "assay/evidence-verify-v1");
	json_set_cstr(report, "root", p->root);
	json_set_u64(report, "n_objects", 0);
	json_set_u64(report, "n_records", 1);
	json_set_u64(report, "n_leftovers", 0);
	json_set_array(report, "damage");
	json_set_array(report, "unfinished");
	if (!evidence_record(p, "target.json", NULL, &why))
		damage(report, "target.json", arena_strdup(p->arena, why.text));
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		if (!look_at_folder(p, report, folders[i], e))
			return NULL;
	}
	return look_at_objects(p, report, e) && look_at_invocations(p, report, e) ? report : NULL;
}
