/* A file on its way into the store: temporary, write, fsync, link, compare on EEXIST. For store/ only. */
#ifndef ASSAY_STORE_DRAFT_H
#define ASSAY_STORE_DRAFT_H

#include "base/err.h"
#include "base/sha256.h"

#define DRAFT_PREFIX ".tmp-"

struct draft {
	int fd;     /* read and write; -1: none */
	int dir_fd; /* where the temporary is; not owned */
	char temp[64];
	const char *shown; /* folder for messages; not owned */
};

/* Temporary in dir_fd, mode 0444. */
MUST_USE bool draft_begin(struct draft *d, int dir_fd, const char *shown, struct err *e);
MUST_USE bool draft_add(struct draft *d, const void *p, size_t n, struct err *e);
MUST_USE bool draft_sync(struct draft *d, struct err *e);
/* Links the temporary as `name` in folder_fd and removes it. There already: success when the bytes are the same,
 * ERR_CORRUPT otherwise. The caller flushes the folder. The draft is gone in every case. */
MUST_USE bool draft_link(struct draft *d, int folder_fd, const char *name, struct err *e);
void draft_drop(struct draft *d);
/* Opens (and makes) a folder below dir_fd; *is_new (may be NULL) says whether it was made. -1 and err on failure. */
MUST_USE int draft_folder(int dir_fd, const char *name, const char *shown, bool *is_new, struct err *e);
MUST_USE bool draft_sync_folder(int fd, const char *shown, struct err *e);

#endif
