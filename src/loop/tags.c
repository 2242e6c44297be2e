/* Strategy tags.
 * In: tags as an author wrote them. Out: the normal set, its fingerprint, the mechanisms that it names.
 * The fingerprint's text is JSON as Python writes it with sorted keys.
 * Never: replaces a tag by another one. */
#include "loop/tags.h"

#include "base/sha256.h"
#include "facts/mechanism.h"

const char *tag_normal(struct arena *a, struct str written)
{
	char out[TAG_LENGTH_MAX + 1];
	size_t n = 0;
	bool in_space = false;
	written = str_trim(written);
	for (size_t i = 0; i < written.n && n < TAG_LENGTH_MAX; i++) {
		char c = written.p[i];
		bool is_space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
		if (c >= 'A' && c <= 'Z')
			c = (char)(c | 0x20);
		bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
		if (is_space && !in_space)
			out[n++] = '_'; /* a run of blanks is one */
		else if (is_kept)
			out[n++] = c;
		in_space = is_space;
	}
	return arena_strndup(a, out, n);
}

bool tags_add(struct tags *t, struct arena *a, struct str written)
{
	const char *tag = tag_normal(a, written);
	size_t at = 0;
	if (!*tag)
		return false;
	while (at < t->n && strcmp(t->items[at], tag) < 0)
		at++;
	if (at < t->n && strcmp(t->items[at], tag) == 0)
		return true;
	if (t->n == TAGS_MAX)
		return false;
	for (size_t i = t->n++; i > at; i--)
		t->items[i] = t->items[i - 1];
	t->items[at] = tag;
	return true;
}

bool tags_has(const struct tags *t, const char *tag)
{
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->items[i], tag) == 0)
			return true;
	}
	return false;
}

bool tags_subset(const struct tags *part, const struct tags *whole)
{
	for (size_t i = 0; i < part->n; i++) {
		if (!tags_has(whole, part->items[i]))
			return false;
	}
	return true;
}

void tags_fingerprint(const struct tags *t, const char *backend, char out[FINGERPRINT_SIZE])
{
	struct arena a;
	struct buf text;
	char digest[41];
	arena_init(&a);
	buf_init(&text);
	struct json *j = json_object(&a);
	json_set_cstr(j, "backend", backend);
	json_set(j, "tags", tags_json(&a, t));
	json_write(&text, j, JSON_PYTHON);
	struct str exact = str_trim(buf_view(&text));
	sha1_of(exact.p, exact.n, digest);
	memcpy(out, digest, FINGERPRINT_SIZE - 1);
	out[FINGERPRINT_SIZE - 1] = 0;
	buf_release(&text);
	arena_release(&a);
}

struct json *tags_json(struct arena *a, const struct tags *t)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < t->n; i++)
		json_push_str(list, str_from(t->items[i]));
	return list;
}

void tags_from_json(struct tags *out, struct arena *a, const struct json *list)
{
	out->n = 0;
	for (size_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
		if (list->items[i]->type == JSON_STRING)
			(void)tags_add(out, a, list->items[i]->text);
	}
}

const char *tags_text(struct arena *a, const struct tags *t)
{
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < t->n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", t->items[i]);
	const char *text = arena_strndup(a, b.n ? b.p : "", b.n);
	buf_release(&b);
	return text;
}

struct json *tags_mechanisms(struct arena *a, const struct tags *t)
{
	struct json *j = json_object(a);
	for (size_t i = 0; i < t->n; i++) {
		const struct mechanism *m = mechanism_find(str_from(t->items[i]));
		if (m)
			json_set_cstr(j, t->items[i], arena_printf(a, "%s.%s", m->domain, m->key));
	}
	return j;
}

/* Every mechanism of x is one of y; false when a tag of x is not known. */
static bool covers(const struct tags *x, const struct tags *y)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct mechanism *m = mechanism_find(str_from(x->items[i]));
		bool found = false;
		for (size_t k = 0; m && k < y->n && !found; k++)
			found = mechanism_find(str_from(y->items[k])) == m;
		if (!found)
			return false;
	}
	return x->n > 0;
}

bool tags_same_mechanisms(const struct tags *x, const struct tags *y)
{
	return covers(x, y) && covers(y, x);
}

bool fingerprint_is_valid(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	return s.n == FINGERPRINT_SIZE - 1;
}
