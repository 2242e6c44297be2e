/* Leases: exclusive use of a GPU or of the CPU for measuring, one flock'ed file a key in a folder of this machine.
 * The kernel frees a lease when its holder dies. The folder: $ASSAY_LEASE_DIR, else /run/lock/assay, else
 * /tmp/assay-leases, else $TMPDIR/assay-leases; made with mode 1777 so that other users are kept out too. Containers
 * that do not share the folder do not see each other's leases.
 * Keys: "gpu:GPU-<uuid>", "gpu:MIG-<uuid>", "cpu". Who needs several takes them in sorted order. */
#ifndef ASSAY_STORE_LEASE_H
#define ASSAY_STORE_LEASE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

#define LEASE_FOREVER INT64_MAX

struct lease;
struct lease_holder {
	const char *key;
	int64_t pid;         /* as its own PID namespace counts */
	int64_t start_time;  /* field 22 of /proc/PID/stat */
	const char *user;    /* "" when unknown */
	const char *command; /* argv, cut at 200 bytes */
	const char *note;    /* what it does, as it told lease_take */
	const char *since;   /* UTC, ISO 8601 */
	bool is_nested;      /* held inside another lease of the same key */
};

/* Takes the lease, waiting at most wait_ns (0: not at all, LEASE_FOREVER: until it is free or a signal arrives).
 * Taken by someone else: ERR_BUSY, whose text names pid, command and since. A signal while waiting: ERR_INTERRUPTED.
 * `note` says in a few words what it is for ("bench softmax.cu"); NULL is allowed. Waiting is announced once on stderr.
 * Nested use: when an ancestor of this process holds the lease and has called lease_export, the lease is granted inside
 * the ancestor's; siblings still exclude each other, and nobody else gets the key before the nested holder is gone. */
MUST_USE bool lease_take(struct lease **out, const char *key, int64_t wait_ns, const char *note, struct err *e);
void lease_free(struct lease *l); /* gives it back; NULL is fine */
bool lease_is_nested(const struct lease *l);
/* Lets processes started from here on use the lease inside ours, by ASSAY_LEASE in the environment. A sandboxed worker
 * never gets that variable. */
MUST_USE bool lease_export(const struct lease *l, struct err *e);
/* All leases that are held now, sorted by key. */
MUST_USE bool lease_list(struct arena *a, struct lease_holder **out, size_t *n, struct err *e);
struct json *lease_holder_json(struct arena *a, const struct lease_holder *h);
/* The folder in use; made when absent. NULL and err when none can be made. */
MUST_USE const char *lease_folder(struct arena *a, struct err *e);

#endif
