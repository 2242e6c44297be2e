/* What opt_parse.c and opt_json.c share: finding a row, storing a value with its range check, the closing checks. */
#ifndef ASSAY_BASE_OPT_ROW_H
#define ASSAY_BASE_OPT_ROW_H

#include "base/opt.h"

struct opt_sink {
	const struct opt_spec *spec;
	char *options;
	struct arena *arena;
	bool *seen; /* per row */
	enum err_code code;
	struct err *e;
};

struct opt_sink opt_sink_begin(const struct opt_spec *s, void *options, struct arena *a, enum err_code code,
			       struct err *e);
/* Sets "VERB: ...". Always false. */
bool opt_fail(const struct opt_sink *k, const char *fmt, ...) PRINTF_LIKE(2, 3);
const struct opt_row *opt_find(const struct opt_spec *s, struct str name); /* NULL when absent */
/* Visible row that `name` was probably meant to be, at most `most` edits away or begun by it; NULL when there is none. */
const struct opt_row *opt_nearest(const struct opt_spec *s, struct str name, size_t most);
char *opt_key(struct arena *a, const struct opt_row *r); /* the row's name with _ for -, as in JSON */
/* `shown` is the name as the user wrote it ("--repeat", "max_iterations"). */
MUST_USE bool opt_store_text(const struct opt_sink *k, const struct opt_row *r, const char *shown, struct str value);
MUST_USE bool opt_store_i64(const struct opt_sink *k, const struct opt_row *r, const char *shown, int64_t v);
MUST_USE bool opt_store_f64(const struct opt_sink *k, const struct opt_row *r, const char *shown, double v);
void opt_store_flag(const struct opt_sink *k, const struct opt_row *r, bool v);
void opt_push(const struct opt_sink *k, const struct opt_row *r, struct str item); /* the first replaces the default */
void opt_push_arg(const struct opt_sink *k, struct str item);
MUST_USE bool opt_add_dim(const struct opt_sink *k, struct str name, int64_t v);
bool opt_is_dim_name(struct str name); /* a letter, then letters, digits, underscores; at most 63 */
MUST_USE bool opt_sink_end(const struct opt_sink *k, bool is_json);
/* "1..100", "at least 1" or "" when the row has no range. */
void opt_range(const struct opt_row *r, char out[64]);

#endif
