/* A trial: the append-only rows of every call that was made for one measurement, and their column file in the store.
 * Everything that is said about a measurement can be computed again from it. */
#ifndef ASSAY_RUN_TRIAL_H
#define ASSAY_RUN_TRIAL_H

#include "base/json.h"
#include "base/sha256.h"
#include "wire/message.h"

struct store;

enum trial_mode { TRIAL_IDENTITY, TRIAL_TIME, TRIAL_EVENT, TRIAL_COUNT };
enum trial_flags { TRIAL_COLD = 1, TRIAL_WARMUP = 2, TRIAL_HELD = 4, TRIAL_CHECKED = 8 /* outputs were looked at */ };
#define TRIAL_NO_QUARTER 255
struct trial_batch { /* what the rows of one batch share */
	enum trial_mode mode;
	unsigned flags;            /* enum trial_flags */
	size_t i_case;             /* below 255 */
	unsigned quarter;          /* of a block x y y x: 0..3, or TRIAL_NO_QUARTER */
	int64_t begin_ns, wall_ns; /* the parent's monotonic clock */
};
struct trial_row {
	struct wire_row w;
	int64_t begin_ns, end_ns;
	uint8_t mode, flags, i_case, quarter;
};
struct trial {
	struct arena *arena;
	struct trial_row *rows;
	size_t n, cap;
};
void trial_init(struct trial *t, struct arena *a);
/* Returns the index of the first row. */
size_t trial_add(struct trial *t, const struct wire_row *rows, size_t n, const struct trial_batch *b);
/* One column file (format assay/trial-v1, docs/FORMATS.md) with `meta` in its header; digest is its name in the store. */
MUST_USE bool trial_publish(const struct trial *t, struct store *s, const struct json *meta, char digest[SHA256_HEX],
			    struct err *e);
const char *trial_mode_name(enum trial_mode m);

#endif
