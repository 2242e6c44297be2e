/* Freezing a driver.
 * In: the description in a request. Out: the record that a Target holds.
 * The identity is the published one: sha256 over the canonical JSON of the whole record.
 * Never: runs anything. */
#include "protocol/driver/driver.h"

#include <string.h>
#include <sys/stat.h>

#include "protocol/shape.h"

#define MEMBERS                                                                                                        \
	"command:S request_argument:s evidence_capabilities:S protocol_version:s profiler_capabilities:S "             \
	"side_effects:S cleanup_contract:o"

static int by_text(const void *a, const void *b)
{
	const struct json *const *x = a, *const *y = b;
	return str_cmp((*x)->text, (*y)->text);
}

static struct json *sorted(struct arena *a, const struct json *names)
{
	struct json *copy = shape_copy(a, names);
	if (copy->n)
		qsort(copy->items, copy->n, sizeof(*copy->items), by_text);
	return copy;
}

static bool check(const struct json *d, struct err *e)
{
	const struct json *evidence = json_get(d, "evidence_capabilities"),
			  *profiler = json_get(d, "profiler_capabilities");
	const struct json *contract = json_get(d, "cleanup_contract");
	if (!shape_check(d, "driver", MEMBERS, e) || !shape_names(evidence, "driver.evidence_capabilities", 1, e) ||
	    !shape_names(profiler, "driver.profiler_capabilities", 0, e) ||
	    !shape_word(d, "driver", "protocol_version", DRIVER_PROTOCOL, e) ||
	    !shape_text(d, "driver", "request_argument", 64, e) ||
	    !shape_check(contract, "driver.cleanup_contract", "kind:s external_tasks:b", e))
		return false;
	if (json_get(d, "command")->n == 0)
		return err_set(e, ERR_INPUT, "driver.command: is empty");
	if (!str_starts(json_str(d, "request_argument", STR("")), "-"))
		return err_set(e, ERR_INPUT, "driver.request_argument: begins with -");
	if (!shape_holds(evidence, STR("single_variant_combined")))
		return err_set(e, ERR_INPUT, "driver.evidence_capabilities: single_variant_combined is missing");
	for (size_t i = 0; i < evidence->n; i++) {
		if (!str_is(evidence->items[i]->text, "single_variant_combined") &&
		    !str_is(evidence->items[i]->text, "paired_same_process_combined"))
			return err_set(e, ERR_INPUT, "driver.evidence_capabilities: \"%.60s\" is not known",
				       evidence->items[i]->text.p);
	}
	if (!str_is(json_str(contract, "kind", STR("")), "process_group_only") ||
	    json_bool(contract, "external_tasks", true))
		return err_set(e, ERR_INPUT, "driver.cleanup_contract: only process_group_only without external tasks");
	return true;
}

static struct json *source_file(struct arena *a, const char *path, struct err *e)
{
	struct stat st;
	char digest[SHA256_HEX];
	if (stat(path, &st) != 0 || !sha256_file(path, digest, e)) {
		err_set(e, ERR_INPUT, "driver: %s cannot be read", path);
		return NULL;
	}
	struct json *j = json_object(a);
	json_set_cstr(j, "path", path);
	json_set_cstr(j, "sha256", digest);
	json_set_i64(j, "size_bytes", st.st_size);
	json_set_i64(j, "mode", st.st_mode & 07777);
	return j;
}

static int by_path(const void *a, const void *b)
{
	const struct json *const *x = a, *const *y = b;
	return str_cmp(json_str(*x, "path", STR("")), json_str(*y, "path", STR("")));
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The command with absolute paths, and its files. */
static bool resolve(struct protocol *p, const struct json *command, struct json *out, struct json *files, struct err *e)
{
	for (size_t i = 0; i < command->n; i++) {
		const char *word = command->items[i]->text.p;
		const char *path = i == 0 ? path_which(p->arena, word, NULL) : path_absolute(p->arena, word);
		if (i == 0 && !path)
			return err_set(e, ERR_INPUT, "driver.command: %.200s is not there or cannot be executed", word);
		bool is_source = i == 0 || (word[0] != '-' && is_file(path));
		json_push_str(out, is_source ? str_from(path) : command->items[i]->text);
		struct json *file = is_source ? source_file(p->arena, path, e) : NULL;
		if (is_source && !file)
			return false;
		bool is_there = false;
		for (size_t k = 0; file && k < files->n; k++)
			is_there = is_there || shape_same(files->items[k], file);
		if (file && !is_there)
			json_push(files, file);
	}
	qsort(files->items, files->n, sizeof(*files->items), by_path);
	return true;
}

bool driver_freeze(struct protocol *p, const struct json *description, struct json **record, struct err *e)
{
	char identity[SHA256_HEX];
	if (!check(description, e))
		return false;
	struct json *j = json_object(p->arena), *command = json_set_array(j, "command"), *files = json_array(p->arena);
	if (!resolve(p, json_get(description, "command"), command, files, e))
		return false;
	json_set_str(j, "request_argument", json_str(description, "request_argument", STR("")));
	json_set(j, "evidence_capabilities", sorted(p->arena, json_get(description, "evidence_capabilities")));
	json_set_cstr(j, "protocol_version", DRIVER_PROTOCOL);
	json_set(j, "profiler_capabilities", sorted(p->arena, json_get(description, "profiler_capabilities")));
	json_set(j, "side_effects", shape_copy(p->arena, json_get(description, "side_effects")));
	json_set(j, "cleanup_contract", shape_copy(p->arena, json_get(description, "cleanup_contract")));
	json_set(j, "source_files", files);
	evidence_canonical(j, identity);
	json_set_cstr(j, "identity", identity);
	*record = j;
	return true;
}

/* One digest over what stat says of all files. */
static bool stamp_of(const struct json *files, char out[SHA256_HEX])
{
	struct sha256 s;
	sha256_init(&s);
	for (size_t i = 0; i < files->n; i++) {
		struct stat st;
		if (stat(json_str(files->items[i], "path", STR("")).p, &st) != 0)
			return false;
		int64_t facts[] = {st.st_size,         st.st_mtim.tv_sec,  st.st_mtim.tv_nsec, st.st_ctim.tv_sec,
				   st.st_ctim.tv_nsec, (int64_t)st.st_ino, st.st_mode};
		sha256_add(&s, facts, sizeof(facts));
	}
	sha256_hex(&s, out);
	return true;
}

bool driver_unchanged(struct protocol *p, const struct json *record, struct driver_stamps *stamps, struct err *e)
{
	const struct json *files = json_get(record, "source_files");
	char now[SHA256_HEX] = "";
	bool has_stamp = files && stamp_of(files, now);
	if (has_stamp && stamps && strcmp(stamps->text, now) == 0)
		return true;
	for (size_t i = 0; files && i < files->n; i++) {
		const char *path = json_str(files->items[i], "path", STR("")).p;
		struct json *there = source_file(p->arena, path, e);
		if (!there)
			return false;
		if (!shape_same(there, files->items[i]))
			return err_set(e, ERR_INPUT, "driver: %s is not the file that was frozen", path);
	}
	if (stamps)
		memcpy(stamps->text, now, SHA256_HEX);
	return files != NULL || err_set(e, ERR_INPUT, "driver: the record has no source_files");
}

bool driver_has(const struct json *record, const char *capability)
{
	return shape_holds(json_get(record, "evidence_capabilities"), str_from(capability)) ||
	       shape_holds(json_get(record, "profiler_capabilities"), str_from(capability));
}
