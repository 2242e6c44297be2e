/* SHA-256 and SHA-1.
 * In: bytes. Out: hex digests.
 * libcrypto's low-level functions: EVP looks its providers up first, which costs 4 ms at start.
 * Never: used for secrets. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

#include <openssl/sha.h>
#include <string.h>

#include "base/file.h"

_Static_assert(sizeof(SHA256_CTX) <= sizeof(((struct sha256 *)0)->state), "struct sha256 is too small");

static SHA256_CTX *ctx_of(struct sha256 *s)
{
	return (SHA256_CTX *)(void *)s->state;
}

static void hex_of(const unsigned char *p, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
	out[2 * n] = 0;
}

void sha256_init(struct sha256 *s)
{
	SHA256_Init(ctx_of(s));
}

void sha256_add(struct sha256 *s, const void *p, size_t n)
{
	SHA256_Update(ctx_of(s), p, n);
}

void sha256_str(struct sha256 *s, struct str field)
{
	unsigned char n[8];
	for (size_t i = 0; i < 8; i++)
		n[i] = (unsigned char)((uint64_t)field.n >> (8 * i));
	sha256_add(s, n, sizeof(n));
	sha256_add(s, field.p, field.n);
}

void sha256_hex(struct sha256 *s, char out[SHA256_HEX])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	SHA256_Final(digest, ctx_of(s));
	hex_of(digest, sizeof(digest), out);
}

void sha256_of(const void *p, size_t n, char out[SHA256_HEX])
{
	struct sha256 s;
	sha256_init(&s);
	sha256_add(&s, p, n);
	sha256_hex(&s, out);
}

bool sha256_file(const char *path, char out[SHA256_HEX], struct err *e)
{
	struct file_map m;
	if (!file_map(&m, path, e))
		return false;
	sha256_of(m.p, m.n, out);
	file_unmap(&m);
	return true;
}

void sha1_of(const void *p, size_t n, char out[41])
{
	unsigned char digest[SHA_DIGEST_LENGTH];
	SHA_CTX s;
	SHA1_Init(&s);
	SHA1_Update(&s, p, n);
	SHA1_Final(digest, &s);
	hex_of(digest, sizeof(digest), out);
}
