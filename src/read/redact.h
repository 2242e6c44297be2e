/* Takes out of a text what tells who made it where: paths (their last part stays), addresses, mail addresses, GPU and MAC
 * identities, tokens and passwords, given words. What is not recognised stays: a reader of the result is told so. */
#ifndef ASSAY_READ_REDACT_H
#define ASSAY_READ_REDACT_H

#include "base/buf.h"

#define REDACTED "[redacted]"
struct redact {
	const char *const *words; /* names of users, hosts, projects */
	size_t n_words;
	uint64_t n_paths, n_addresses, n_secrets, n_names; /* found so far */
};
/* Appends s to out, redacted. True: something was taken out. */
bool redact_text(struct redact *r, struct buf *out, struct str s);
/* Whether a key names a secret, a user, a host or an environment: its value goes as a whole. */
bool redact_key(struct str key);

#endif
