/* The object store: records.
 * In: a kind and a JSON object. Out: records/KIND/ID.json, the id made of the bytes.
 * A record is as immutable as an object; what changes is a new record.
 * Never: reads a record whose bytes do not give its id. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/draft.h"
#include "store/inside.h"

#define RECORD_MAX_BYTES (1u << 30) /* bounds the map; the JSON reader has its own limit */
#define ID_DIGITS 32

static bool kind_is_valid(const char *kind, size_t n)
{
	if (n == 0 || n > STORE_ID_MAX - ID_DIGITS - 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = kind[i];
		bool ok = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
		if (!ok)
			return false;
	}
	return true;
}

bool record_id_is_valid(const char *id, size_t *n_kind)
{
	const char *dash = strrchr(id, '-');
	if (!dash || strlen(dash + 1) != ID_DIGITS || strspn(dash + 1, "0123456789abcdef") != ID_DIGITS)
		return false;
	*n_kind = (size_t)(dash - id);
	return kind_is_valid(id, *n_kind);
}

void record_id_of(const char *kind, struct str bytes, char id[STORE_ID_MAX])
{
	char digest[SHA256_HEX];
	sha256_of(bytes.p, bytes.n, digest);
	snprintf(id, STORE_ID_MAX, "%s-%.*s", kind, ID_DIGITS, digest);
}

static bool record_put(struct store *s, const char *kind, const char *id, struct str bytes, struct err *e)
{
	struct store_place *at = &s->area[STORE_AREA_RECORDS];
	bool is_new;
	int fd = draft_folder(at->fd, kind, at->shown, &is_new, e);
	if (fd < 0)
		return false;
	char name[STORE_ID_MAX + 8];
	snprintf(name, sizeof(name), "%s.json", id);
	struct draft d;
	bool ok = draft_begin(&d, fd, at->shown, e);
	if (ok && (!draft_add(&d, bytes.p, bytes.n, e) || !draft_sync(&d, e))) {
		draft_drop(&d);
		ok = false;
	}
	ok = ok && draft_link(&d, fd, name, e) && draft_sync_folder(fd, at->shown, e);
	if (ok && is_new)
		ok = draft_sync_folder(at->fd, at->shown, e);
	close(fd);
	return ok;
}

bool store_record(struct store *s, const char *kind, const struct json *record, char id[STORE_ID_MAX], struct err *e)
{
	if (!kind_is_valid(kind, strlen(kind)))
		return err_set(e, ERR_INPUT, "record kind \"%.60s\": a word of a-z 0-9 _ - is wanted", kind);
	if (!record || record->type != JSON_OBJECT)
		return err_set(e, ERR_INPUT, "record of kind %s: an object is wanted", kind);
	struct buf b;
	buf_init(&b);
	json_write(&b, record, JSON_PRETTY);
	record_id_of(kind, buf_view(&b), id);
	bool ok = record_put(s, kind, id, buf_view(&b), e);
	buf_release(&b);
	return ok;
}

struct json *store_record_read(struct store *s, struct arena *a, const char *id, struct err *e)
{
	size_t n_kind;
	if (!record_id_is_valid(id, &n_kind)) {
		err_set(e, ERR_INPUT, "\"%.80s\" is no record id: KIND-<32 hexadecimal digits>", id);
		return NULL;
	}
	const char *kind = arena_strndup(a, id, n_kind);
	char *path = arena_printf(a, "%s/%s/%s.json", s->area[STORE_AREA_RECORDS].shown, kind, id);
	if (!file_exists(path)) {
		err_set(e, ERR_INPUT, "record %s: not in %s", id, s->root);
		return NULL;
	}
	struct str bytes;
	if (!file_read(a, &bytes, path, RECORD_MAX_BYTES, e))
		return NULL;
	char got[STORE_ID_MAX];
	record_id_of(kind, bytes, got);
	if (strcmp(got, id) != 0) {
		err_set(e, ERR_CORRUPT, "%s: damaged, its bytes give %s", path, got);
		return NULL;
	}
	return json_parse(a, path, bytes, JSON_STRICT, e);
}

char **store_record_list(struct store *s, struct arena *a, const char *kind, size_t *n, struct err *e)
{
	*n = 0;
	if (!kind_is_valid(kind, strlen(kind))) {
		err_set(e, ERR_INPUT, "record kind \"%.60s\": a word of a-z 0-9 _ - is wanted", kind);
		return NULL;
	}
	char *path = arena_printf(a, "%s/%s", s->area[STORE_AREA_RECORDS].shown, kind);
	if (!file_is_dir(path))
		return ARENA_ARRAY(a, 1, char *);
	size_t n_names;
	char **names = file_list(a, path, &n_names, e);
	if (!names)
		return NULL;
	for (size_t i = 0; i < n_names; i++) {
		size_t len = strlen(names[i]), n_kind;
		if (len < 5 || strcmp(names[i] + len - 5, ".json") != 0)
			continue;
		names[i][len - 5] = 0;
		if (record_id_is_valid(names[i], &n_kind))
			names[(*n)++] = names[i];
	}
	names[*n] = NULL;
	return names;
}
