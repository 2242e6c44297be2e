/* SHA-256 and SHA-1 through libcrypto's low-level functions (EVP costs 4 ms at start). */
#ifndef ASSAY_BASE_SHA256_H
#define ASSAY_BASE_SHA256_H

#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"

#define SHA256_HEX 65 /* 64 digits and NUL */

struct sha256 {
	_Alignas(16) unsigned char state[128]; /* SHA256_CTX of libcrypto */
};
void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t n);
void sha256_str(struct sha256 *s, struct str field); /* length-prefixed (u64 LE), so that fields cannot run together */
void sha256_hex(struct sha256 *s, char out[SHA256_HEX]);
void sha256_of(const void *p, size_t n, char out[SHA256_HEX]);
MUST_USE bool sha256_file(const char *path, char out[SHA256_HEX], struct err *e);
void sha1_of(const void *p, size_t n, char out[41]);

#endif
