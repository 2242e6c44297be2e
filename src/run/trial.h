/* A trial: the append-only rows of every call that was made for one measurement, and their column file in the store.
 * Everything that is said about a measurement can be computed again from it. */
#ifndef ASSAY_RUN_TRIAL_H
#define ASSAY_RUN_TRIAL_H

#include "base/json.h"
#include "store/object.h"
#include "wire/message.h"

enum trial_mode { TRIAL_IDENTITY, TRIAL_TIME, TRIAL_EVENT, TRIAL_COUNT };
enum trial_flags { TRIAL_COLD = 1, TRIAL_WARMUP = 2, TRIAL_HELD = 4 };
struct trial_row {
	struct wire_row w;
	uint8_t mode;  /* enum trial_mode */
	uint8_t flags; /* enum trial_flags */
};
struct trial {
	struct arena *arena;
	struct trial_row *rows;
	size_t n, cap;
};
void trial_init(struct trial *t, struct arena *a);
void trial_add(struct trial *t, const struct wire_row *rows, size_t n, enum trial_mode mode, unsigned flags);
/* One column file (format assay/trial-v1, docs/FORMATS.md) with `meta` in its header; digest is its name in the store. */
MUST_USE bool trial_publish(const struct trial *t, struct store *s, const struct json *meta, char digest[SHA256_HEX],
			    struct err *e);
const char *trial_mode_name(enum trial_mode m);

#endif
