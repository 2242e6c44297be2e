/* Cache entries that depend on files found while they were made.
 * In: a key and a test of an entry. Out: the variant that holds, or a key for a new one.
 * Variant 0 is the key itself; the others are digests of key and number.
 * Never: removes a variant that does not hold now: the files may change back. */
#include "store/cache.h"

enum { CACHE_VARIANTS = 8 };

static void variant_of(const char *key, unsigned i, char out[SHA256_HEX])
{
	struct sha256 s;
	if (i == 0) {
		memcpy(out, key, SHA256_HEX);
		return;
	}
	sha256_init(&s);
	sha256_str(&s, str_from(key));
	sha256_add(&s, &i, sizeof(i));
	sha256_hex(&s, out);
}

bool cache_get_checked(struct cache *c, struct arena *a, const char *key, const struct cache_check *check,
		       struct cache_entry *out, char vacant[SHA256_HEX])
{
	for (unsigned i = 0; i < CACHE_VARIANTS; i++) {
		variant_of(key, i, vacant);
		if (!cache_get(c, a, vacant, out))
			return false;
		if (check->holds(check->ctx, out))
			return true;
		cache_done(out);
	}
	vacant[0] = 0;
	return false;
}
