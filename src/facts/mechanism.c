/* Lookup of mechanism keys and their aliases.
 * In: a tag or key as a person or a program wrote it.
 * Out: the row of facts/mechanism.def, or NULL.
 * Never guesses: only the spellings of the table are found. */
#include "facts/mechanism.h"

#include <string.h>

static const struct mechanism mechanisms[] = {
#define MECHANISM(key, domain, title) {key, domain, title},
#define ALIAS(alias, key)
#include "facts/mechanism.def"
#undef MECHANISM
#undef ALIAS
};
static const struct {
	const char *alias, *key;
} aliases[] = {
#define MECHANISM(key, domain, title)
#define ALIAS(alias, key) {alias, key},
#include "facts/mechanism.def"
#undef MECHANISM
#undef ALIAS
};

static char folded(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c == '-' || c == ' ' ? '_' : c;
}

static bool same(struct str name, const char *key)
{
	size_t n = strlen(key);
	if (name.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (folded(name.p[i]) != key[i])
			return false;
	return true;
}

static const struct mechanism *by_key(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(mechanisms); i++)
		if (same(name, mechanisms[i].key))
			return &mechanisms[i];
	return NULL;
}

const struct mechanism *mechanism_at(size_t i)
{
	return i < COUNT_OF(mechanisms) ? &mechanisms[i] : NULL;
}

bool mechanism_alias(size_t i, const char **alias, const char **key)
{
	if (i >= COUNT_OF(aliases))
		return false;
	*alias = aliases[i].alias;
	*key = aliases[i].key;
	return true;
}

const struct mechanism *mechanism_find(struct str name)
{
	const struct mechanism *m = by_key(name);
	if (m)
		return m;
	for (size_t i = 0; i < COUNT_OF(aliases); i++)
		if (same(name, aliases[i].alias))
			return by_key(str_from(aliases[i].key));
	size_t dot = str_find_char(name, '.');
	if (dot == SIZE_MAX)
		return NULL;
	m = by_key(str_sub(name, dot + 1, name.n));
	return m && same(str_sub(name, 0, dot), m->domain) ? m : NULL;
}
